//! The palette beside a map: edits, files, and where it is remembered.

use std::sync::Arc;

use glam::IVec3;

use super::*;
use crate::editor::settings::Settings;
use crate::editor::storage::testing::FaultyStorage;
use crate::editor::{Action, EditorConfig, JobMode, NewMap, SaveOrder};
use crate::terrain::Params;

fn editor(files: &[(&str, &[u8])]) -> (Editor, FaultyStorage) {
    let storage = FaultyStorage::with(files);
    let mut editor = Editor::new(EditorConfig {
        storage: Arc::new(storage.clone()),
        jobs: JobMode::Inline,
        waker: Arc::new(|| {}),
        journal_folder: None,
        versions_folder: None,
        settings_file: None,
        settings: Settings::default(),
    });
    let params = Params { size: IVec3::new(32, 32, 64), seed: 1, values: Default::default() };
    act(&mut editor, Action::New(NewMap { generator: "ocean".into(), params }));
    (editor, storage)
}

fn act(editor: &mut Editor, action: Action) {
    editor.act(action);
    editor.finish_jobs();
}

/// The red parts of the palette after the edits of one that holds 1, 2 and 3.
#[track_caller]
fn check(edits: &[SwatchEdit], expected: &[u8]) {
    let (mut editor, _) = editor(&[("a.hex", b"010000\n020000\n030000\n")]);
    let id = editor.active().unwrap().id();
    act(&mut editor, Action::OpenPalette(id, "a.hex".into()));
    edits.iter().for_each(|edit| act(&mut editor, Action::EditSwatches(*edit)));
    assert_eq!(editor.swatches().iter().map(|swatch| swatch.color.r).collect::<Vec<_>>(), expected);
}

#[test]
fn a_color_that_was_removed_comes_back_in_its_place_with_its_name() {
    let gpl = b"GIMP Palette\n1 0 0\tClay\n2 0 0\tMoss\n3 0 0\tSlate\n";
    let (mut editor, _) = editor(&[("a.gpl", gpl)]);
    let id = editor.active().unwrap().id();
    let names = |editor: &Editor| editor.swatches().iter().map(|swatch| swatch.name.to_string()).collect::<Vec<_>>().join(" ");
    assert!(!editor.can_undo_swatches());
    act(&mut editor, Action::OpenPalette(id, "a.gpl".into()));
    for edit in [SwatchEdit::Remove(1), SwatchEdit::Remove(7), SwatchEdit::Replace { at: 0, color: Rgb::new(9, 9, 9) }] {
        act(&mut editor, Action::EditSwatches(edit));
    }
    assert_eq!(names(&editor), " Slate");
    act(&mut editor, Action::EditSwatches(SwatchEdit::Reset));
    let mut undone = vec![];
    while editor.can_undo_swatches() {
        act(&mut editor, Action::EditSwatches(SwatchEdit::Undo));
        undone.push(names(&editor).trim().to_owned());
    }
    // The first palette has no names.
    assert_eq!(undone, ["Slate", "Clay Slate", "Clay Moss Slate", ""]);
    assert_eq!(editor.swatches().len(), BEGINNING.len());
    act(&mut editor, Action::EditSwatches(SwatchEdit::Undo));
    assert_eq!((editor.swatches().len(), editor.active().unwrap().history().len()), (BEGINNING.len(), 0), "the map's steps are others");
    // A map without end of changes keeps the latest.
    for _ in 0..MOST_OLDER + 5 {
        act(&mut editor, Action::EditSwatches(SwatchEdit::Insert { at: 0, color: Rgb::new(1, 2, 3) }));
    }
    assert_eq!(editor.active().unwrap().older_swatches.len(), MOST_OLDER);
}

#[test]
fn edits_beyond_the_end_are_harmless() {
    let color = Rgb::new(9, 0, 0);
    check(&[SwatchEdit::Move { from: 0, to: 2 }], &[2, 3, 1]);
    check(&[SwatchEdit::Move { from: 2, to: 99 }, SwatchEdit::Move { from: 3, to: 0 }], &[1, 2, 3]);
    check(&[SwatchEdit::Insert { at: usize::MAX, color }, SwatchEdit::Insert { at: 0, color }], &[9, 1, 2, 3, 9]);
    check(&[SwatchEdit::Remove(1), SwatchEdit::Remove(7)], &[1, 3]);
    check(&[SwatchEdit::Replace { at: 1, color }, SwatchEdit::Replace { at: 5, color }], &[1, 9, 3]);
    check(&[SwatchEdit::Remove(0), SwatchEdit::Remove(0), SwatchEdit::Remove(0)], &[]);
}

#[test]
fn a_dropped_palette_is_no_map() {
    let (mut editor, storage) =
        editor(&[("a.HEX", b"010000\n020000\n"), ("b.pal", b"JASC-PAL\n0100\n2\n1 2 3\n"), ("c.gpl", b"GIMP Palette\n9 8 7 Clay\n")]);
    let drop = |editor: &mut Editor, name: &str| {
        act(editor, Action::Dropped(name.into()));
        let last = editor.messages().last().unwrap();
        (editor.documents().len(), editor.swatches().len(), last.text.clone(), last.detail.clone())
    };
    assert_eq!(drop(&mut editor, "a.HEX"), (1, 2, "Opened the palette a.HEX with 2 colors".into(), None));
    let (maps, colors, said, detail) = drop(&mut editor, "b.pal");
    assert_eq!((maps, colors), (1, 2), "a broken one changes nothing");
    assert_eq!(said, "Cannot open the palette: b.pal: line 5, column 1: expected more colors: line 3 names their number");
    assert!(detail.is_some());
    assert_eq!(drop(&mut editor, "c.gpl").1, 1);
    // Names that the kind of file cannot hold are told.
    let document = editor.active().unwrap().id();
    let mut save = |path: &str| {
        act(&mut editor, Action::SavePalette(PaletteOrder { document, path: path.into(), overwrite_agreed: true, asked: None }));
        editor.messages().last().unwrap().detail.is_some()
    };
    assert_eq!(["d.gpl", "d.pal", "d.hex"].map(&mut save), [false, true, true]);
    assert_eq!(storage.get("d.hex"), Some(b"090807\n".to_vec()));
    let (maps, _, said, _) = drop(&mut editor, "d.vxl");
    assert!(maps == 1 && said.contains("d.vxl") && !said.contains("palette"), "{said}");
    act(&mut editor, Action::Close(document));
    assert_eq!(drop(&mut editor, "c.gpl").2, "c.gpl is a palette: open a map for it first");
    assert!(drop(&mut editor, "b.pal").2.starts_with("Cannot open the palette: b.pal: line 5"), "{:?}", editor.messages().last());
}

#[test]
fn files_that_are_dropped_together_are_imported_one_after_the_other() {
    let picture = |color: [u8; 3]| {
        let mut png = vec![];
        let mut encoder = png::Encoder::new(&mut png, 1, 1);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header().unwrap().write_image_data(&color).unwrap();
        png
    };
    let (first, second) = (picture([255; 3]), picture([9; 3]));
    let (mut editor, _) = editor(&[("a.png", &first), ("broken.png", b"no picture"), ("b.png", &second)]);
    for name in ["a.png", "broken.png", "b.png"] {
        editor.act(Action::Dropped(name.into()));
    }
    let pending = |editor: &mut Editor| {
        editor.finish_jobs();
        editor.pending_import().map(|import| import.file.content.name.clone())
    };
    assert_eq!(pending(&mut editor).as_deref(), Some("a"));
    editor.act(Action::ForgetImport);
    // The broken one is told of, and holds up nothing.
    assert_eq!(pending(&mut editor).as_deref(), Some("b"));
    assert!(editor.messages().iter().any(|message| message.text.contains("broken.png")), "{:?}", editor.messages());
    editor.act(Action::OpenImport);
    assert_eq!(pending(&mut editor), None);
}

#[test]
fn a_palette_is_remembered_once_its_map_has_a_file() {
    let (mut editor, storage) = editor(&[("m/other.txt", b"")]);
    act(&mut editor, Action::EditSwatches(SwatchEdit::Remove(0)));
    let id = editor.active().unwrap().id();
    assert_eq!(editor.settings, Settings::default());
    act(&mut editor, Action::SaveAs(SaveOrder::new(id).with_path("m/sea.vxl".into()).with_loss_agreed()));
    act(&mut editor, Action::SaveAs(SaveOrder::new(id).with_path("m/sea.vxl".into()).with_loss_agreed()));
    assert!(storage.get("m/sea.vxl").is_some(), "{:?}", editor.messages());
    assert_eq!(editor.settings.palettes.of(Path::new("m/sea.vxl")).map(<[_]>::len), Some(35));
    act(&mut editor, Action::EditSwatches(SwatchEdit::Reset));
    assert_eq!((editor.settings.palettes.of(Path::new("m/sea.vxl")), editor.swatches().len()), (None, 36));
}

#[test]
fn a_palette_for_which_there_is_no_room_any_more_is_told_of() {
    let (mut editor, _) = editor(&[("m/other.txt", b"")]);
    let id = editor.active().unwrap().id();
    act(&mut editor, Action::SaveAs(SaveOrder::new(id).with_path("m/sea.vxl".into()).with_loss_agreed()));
    for map in 0..MAX_PALETTES {
        editor.settings.palettes.set(Path::new(&format!("{map}.vxl")), Some(&[]));
    }
    let told = |editor: &Editor| editor.messages().iter().filter(|message| message.text.contains("not remembered")).count();
    assert_eq!(told(&editor), 0);
    act(&mut editor, Action::EditSwatches(SwatchEdit::Remove(0)));
    let last = editor.messages().last().unwrap();
    assert_eq!((told(&editor), last.text.as_str()), (1, "The palette of 0.vxl is not remembered any more"));
    act(&mut editor, Action::EditSwatches(SwatchEdit::Remove(0)));
    assert_eq!(told(&editor), 1);
}

#[test]
fn a_palette_that_cannot_be_written_leaves_the_old_file() {
    let (mut editor, storage) = editor(&[("a.gpl", b"mine")]);
    let document = editor.active().unwrap().id();
    let order =
        |path: &str, overwrite_agreed| Action::SavePalette(PaletteOrder { document, path: path.into(), overwrite_agreed, asked: None });
    act(&mut editor, order("a.gpl", false));
    let Some(Request::ConfirmPalette { order: asked, .. }) = editor.take_requests().pop() else { panic!("not asked") };
    // The answer counts for the file that was asked about.
    storage.put("a.gpl", b"theirs");
    act(&mut editor, Action::SavePalette(PaletteOrder { overwrite_agreed: true, ..asked }));
    assert!(matches!(&*editor.take_requests(), [Request::ConfirmPalette { .. }]));
    assert_eq!(storage.get("a.gpl"), Some(b"theirs".to_vec()));
    act(&mut editor, order("a.png", true));
    assert_eq!(editor.messages().last().unwrap().text, "Cannot save the palette: a.png: the name must end in .gpl, .pal or .hex");
    assert_eq!((storage.get("a.gpl"), storage.get("a.png")), (Some(b"theirs".to_vec()), None));
    act(&mut editor, order("a.gpl", true));
    assert!(storage.get("a.gpl").unwrap().starts_with(b"GIMP Palette\nName: a\n"));
}

#[test]
fn a_palette_whose_place_another_one_takes_is_told_and_comes_back() {
    let (mut editor, _) = editor(&[("m/other.txt", b"")]);
    let id = editor.active().unwrap().id();
    let save_as = |editor: &mut Editor, path: &str| {
        act(editor, Action::SaveAs(SaveOrder::new(id).with_path(path.into()).with_loss_agreed().with_overwrite_agreed()));
        act(editor, Action::SaveAs(SaveOrder::new(id).with_path(path.into()).with_loss_agreed().with_overwrite_agreed()));
    };
    let told =
        |editor: &Editor| editor.messages().iter().filter(|message| message.is_warning && message.text.contains("took the place")).count();
    let mine = vec![Swatch { name: "Precious".into(), color: Rgb::new(0, 0, 255) }];
    editor.settings.palettes.set(Path::new("m/castle.vxl"), Some(&mine));
    act(&mut editor, Action::EditSwatches(SwatchEdit::Remove(0)));
    save_as(&mut editor, "m/sea.vxl");
    assert_eq!(told(&editor), 0, "{:?}", editor.messages());
    save_as(&mut editor, "m/castle.vxl");
    assert_eq!((told(&editor), editor.settings.palettes.of(Path::new("m/castle.vxl")).map(<[_]>::len)), (1, Some(35)));
    save_as(&mut editor, "m/castle.vxl");
    save_as(&mut editor, "m/sea.vxl");
    assert_eq!(told(&editor), 1, "what is the same takes nothing's place");
    save_as(&mut editor, "m/castle.vxl");
    act(&mut editor, Action::EditSwatches(SwatchEdit::Undo));
    assert_eq!((editor.swatches(), editor.settings.palettes.of(Path::new("m/castle.vxl"))), (&mine[..], Some(&mine[..])));
}

#[test]
fn tabs_of_one_file_have_one_palette_and_none_saves_over_what_another_one_was_given() {
    let (mut editor, _) = editor(&[("m/other.txt", b"")]);
    let first = editor.active().unwrap().id();
    act(&mut editor, Action::New(NewMap::starter()));
    let second = editor.active().unwrap().id();
    let save_as = |editor: &mut Editor, id: DocumentId, path: &str| {
        for _ in 0..2 {
            act(editor, Action::SaveAs(SaveOrder::new(id).with_path(path.into()).with_loss_agreed().with_overwrite_agreed()));
        }
    };
    let (here, there) = (Path::new("m/castle.vxl"), Rgb::new(1, 2, 3));
    save_as(&mut editor, second, "m/castle.vxl");
    act(&mut editor, Action::EditSwatches(SwatchEdit::Remove(0)));
    let shorter = editor.swatches().to_vec();
    act(&mut editor, Action::Activate(first));
    act(&mut editor, Action::EditSwatches(SwatchEdit::Insert { at: 0, color: Rgb::new(9, 9, 9) }));
    let longer = editor.swatches().to_vec();
    save_as(&mut editor, first, "m/castle.vxl");
    assert_eq!([first, second].map(|id| editor.swatches_of(id).to_vec()), [longer.clone(), longer.clone()]);
    act(&mut editor, Action::Activate(second));
    act(&mut editor, Action::EditSwatches(SwatchEdit::Insert { at: 0, color: there }));
    let longest = editor.swatches().to_vec();
    save_as(&mut editor, first, "m/castle.vxl");
    assert_eq!((editor.settings.palettes.of(here), longest[0].color), (Some(&longest[..]), there));
    // Each can have back what was its own.
    for expected in [&longer, &shorter] {
        act(&mut editor, Action::EditSwatches(SwatchEdit::Undo));
        assert_eq!([first, second].map(|id| editor.swatches_of(id).to_vec()), [expected.clone(), expected.clone()]);
    }
    act(&mut editor, Action::Activate(first));
    act(&mut editor, Action::EditSwatches(SwatchEdit::Undo));
    assert_eq!((editor.swatches(), editor.settings.palettes.of(here)), (&longer[..], Some(&longer[..])));
}

#[test]
fn that_a_palette_file_says_more_than_colors_is_told_before_it_is_replaced() {
    let (mut editor, _) = editor(&[("a.gpl", b"GIMP Palette\nName: Castle\n1 2 3\n"), ("b.gpl", b"GIMP Palette\nName: b\n1 2 3\n")]);
    let document = editor.active().unwrap().id();
    let asked = ["a.gpl", "b.gpl"].map(|path| {
        act(&mut editor, Action::SavePalette(PaletteOrder { document, path: path.into(), overwrite_agreed: false, asked: None }));
        let Some(Request::ConfirmPalette { reason, .. }) = editor.take_requests().pop() else { panic!("not asked") };
        reason.contains("comments of its own, which are not kept")
    });
    assert_eq!(asked, [true, false]);
}
