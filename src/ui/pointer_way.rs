//! The way that the pointer took since the last frame: on a slow frame it has many places, and each turn of it counts.

use eframe::egui::{Event, PointerButton, Pos2};

/// Points by which the way may be straightened.
const TOLERANCE: f32 = 2.0;

/// Where the pointer was with the primary button down, in order, without the places that lie on the straight way
/// between others. It begins where the button went down, if it did, and ends where it went up, if it did.
pub fn way_with_button(events: &[Event], mut is_down: bool) -> Vec<Pos2> {
    let mut way = vec![];
    for event in events {
        match event {
            Event::PointerButton { pos, button: PointerButton::Primary, pressed, .. } => {
                if *pressed {
                    way.clear();
                }
                if *pressed || is_down {
                    way.push(*pos);
                }
                is_down = *pressed;
            }
            Event::PointerMoved(pos) if is_down => way.push(*pos),
            _ => {}
        }
    }
    straightened(&way)
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
            _ if *b != *last => kept.push(*b),
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

    #[test]
    fn each_turn_of_a_fast_gesture_is_kept_and_what_lies_between_is_not() {
        let to_corner = (0..50).map(|x| moved(x as f32, 0.5 * (x % 2) as f32));
        let down = (0..50).map(|y| moved(50.0, y as f32));
        let back = (0..=50).map(|x| moved(50.0 - x as f32, 50.0));
        let events: Vec<Event> = to_corner.chain(down).chain(back).collect();
        let way = way_with_button(&events, true);
        let near = |pos: &Pos2, x: f32, y: f32| (*pos - pos2(x, y)).length() <= 2.0;
        assert!(way.len() == 4 && near(&way[0], 0.0, 0.0) && near(&way[1], 50.0, 0.0), "{way:?}");
        assert!(near(&way[2], 50.0, 50.0) && near(&way[3], 0.0, 50.0), "{way:?}");
        let there_and_back: Vec<Event> = [0.0, 30.0, 90.0, 20.0].map(|x| moved(x, 0.0)).into();
        assert_eq!(way_with_button(&there_and_back, true), [0.0, 90.0, 20.0].map(|x| pos2(x, 0.0)));
    }

    #[test]
    fn only_what_happens_with_the_button_down_belongs_to_the_way() {
        let events = [moved(1.0, 1.0), button(5.0, 5.0, true), moved(40.0, 5.0), button(40.0, 60.0, false), moved(90.0, 90.0)];
        assert_eq!(way_with_button(&events, false), [pos2(5.0, 5.0), pos2(40.0, 5.0), pos2(40.0, 60.0)]);
        assert_eq!(way_with_button(&events[..1], false), []);
        assert_eq!(way_with_button(&[], true), []);
    }
}
