//! What the pointer did since the last frame: on a slow frame that is a long way, and each turn and click of it counts.

use eframe::egui::{Event, PointerButton, Pos2};

/// Points by which the way may be straightened.
const TOLERANCE: f32 = 2.0;

/// What the primary button and the pointer did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PointerStep {
    /// The button went down.
    Press(Pos2),
    /// The pointer turned, or stands now, with the button down.
    Drag(Pos2),
    /// The button went up.
    Release(Pos2),
}

/// The steps in order, without the places that lie on the straight way between others. `is_down` is the button before.
pub fn pointer_steps(events: &[Event], mut is_down: bool) -> Vec<PointerStep> {
    let (mut steps, mut way) = (vec![], vec![]);
    for event in events {
        match event {
            Event::PointerButton { pos, button: PointerButton::Primary, pressed: true, .. } if !is_down => {
                is_down = true;
                steps.push(PointerStep::Press(*pos));
                way = vec![*pos];
            }
            Event::PointerButton { pos, button: PointerButton::Primary, pressed: false, .. } if is_down => {
                is_down = false;
                way.push(*pos);
                drag_along(&std::mem::take(&mut way), &mut steps);
                // It goes up where the pointer came to.
                if let Some(last @ PointerStep::Drag(_)) = steps.last_mut() {
                    *last = PointerStep::Release(*pos);
                } else {
                    steps.push(PointerStep::Release(*pos));
                }
            }
            Event::PointerMoved(pos) if is_down => way.push(*pos),
            _ => {}
        }
    }
    drag_along(&way, &mut steps);
    steps
}

/// The turns of a way and its end; where the button went down on it is told already.
fn drag_along(way: &[Pos2], steps: &mut Vec<PointerStep>) {
    let turns = straightened(way);
    let is_pressed_there = matches!((steps.last(), turns.first()), (Some(PointerStep::Press(at)), Some(first)) if at == first);
    steps.extend(turns.into_iter().skip(usize::from(is_pressed_there)).map(PointerStep::Drag));
}

/// The turns of a way: no place of it lies farther than the tolerance from the lines between them.
fn straightened(way: &[Pos2]) -> Vec<Pos2> {
    let [first, .., last] = way else { return way.to_vec() };
    let (mut kept, mut open) = (vec![*first], vec![(0, way.len() - 1)]);
    // The nearer halves come first, so that turns are found in order.
    while let Some((from, to)) = open.pop() {
        let (Some(a), Some(b)) = (way.get(from), way.get(to)) else { continue };
        let between = way.iter().enumerate().take(to).skip(from + 1);
        let far = between.map(|(index, pos)| (index, distance(*a, *b, *pos))).max_by(|(_, a), (_, b)| a.total_cmp(b));
        match far {
            Some((turn, far)) if far > TOLERANCE => open.extend([(turn, to), (from, turn)]),
            _ if to + 1 < way.len() => kept.push(*b),
            _ => {}
        }
    }
    kept.push(*last);
    kept
}

/// From a place to the line between two others.
fn distance(a: Pos2, b: Pos2, pos: Pos2) -> f32 {
    let along = b - a;
    let share = if along.length_sq() > 0.0 { ((pos - a).dot(along) / along.length_sq()).clamp(0.0, 1.0) } else { 0.0 };
    (pos - (a + along * share)).length()
}

#[cfg(test)]
mod tests {
    use eframe::egui::{Modifiers, pos2};

    use super::*;

    fn button(x: f32, y: f32, pressed: bool) -> Event {
        Event::PointerButton { pos: pos2(x, y), button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE }
    }

    fn moved(x: f32, y: f32) -> Event {
        Event::PointerMoved(pos2(x, y))
    }

    use PointerStep::{Drag, Press, Release};

    #[test]
    fn each_turn_of_a_fast_gesture_is_kept_and_what_lies_between_is_not() {
        let to_corner = (0..50).map(|x| moved(x as f32, 0.5 * (x % 2) as f32));
        let down = (0..50).map(|y| moved(50.0, y as f32));
        let back = (0..=50).map(|x| moved(50.0 - x as f32, 50.0));
        let events: Vec<Event> = to_corner.chain(down).chain(back).collect();
        let steps = pointer_steps(&events, true);
        let near = |step: &PointerStep, x: f32, y: f32| matches!(step, Drag(pos) if (*pos - pos2(x, y)).length() <= 2.0);
        assert!(steps.len() == 4 && near(&steps[0], 0.0, 0.0) && near(&steps[1], 50.0, 0.0), "{steps:?}");
        assert!(near(&steps[2], 50.0, 50.0) && near(&steps[3], 0.0, 50.0), "{steps:?}");
        let there_and_back: Vec<Event> = [0.0, 30.0, 90.0, 20.0].map(|x| moved(x, 0.0)).into();
        assert_eq!(pointer_steps(&there_and_back, true), [0.0, 90.0, 20.0].map(|x| Drag(pos2(x, 0.0))));
        // A turn where the way ends, too, is one.
        let corners = [[0.0, 0.0], [50.0, 0.0], [50.0, 50.0], [50.0, 0.0]];
        let events: Vec<Event> = corners.map(|[x, y]| moved(x, y)).into();
        assert_eq!(pointer_steps(&events, true), corners.map(|[x, y]| Drag(pos2(x, y))));
    }

    #[test]
    fn each_click_of_a_frame_is_kept_and_no_way_leads_from_one_to_the_next() {
        let events = [moved(1.0, 1.0), button(5.0, 5.0, true), moved(40.0, 5.0), button(40.0, 60.0, false), moved(90.0, 90.0)];
        let drawn = [Press(pos2(5.0, 5.0)), Drag(pos2(40.0, 5.0)), Release(pos2(40.0, 60.0))];
        assert_eq!(pointer_steps(&events, false), drawn);
        assert_eq!(pointer_steps(&events[..1], false), []);
        assert_eq!(pointer_steps(&[], true), []);
        let dab = |x: f32| [button(x, 0.0, true), button(x, 0.0, false)];
        let steps = |x: f32| [Press(pos2(x, 0.0)), Release(pos2(x, 0.0))];
        let [again, between] = [button(50.0, 0.0, true), moved(30.0, 30.0)];
        let events: Vec<Event> = dab(0.0).into_iter().chain([between]).chain(dab(20.0)).chain([again]).collect();
        let expected: Vec<PointerStep> = steps(0.0).into_iter().chain(steps(20.0)).chain([Press(pos2(50.0, 0.0))]).collect();
        assert_eq!(pointer_steps(&events, false), expected);
        // Up, and down again: the end of a stroke that goes on from the frame before, and the next one.
        let up_and_down = [button(9.0, 0.0, false), button(30.0, 0.0, true), moved(40.0, 0.0)];
        assert_eq!(pointer_steps(&up_and_down, true), [Release(pos2(9.0, 0.0)), Press(pos2(30.0, 0.0)), Drag(pos2(40.0, 0.0))]);
    }
}
