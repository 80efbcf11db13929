//! Gaps as a step takes them: those of one face stay those of a face.
//!
//! The gaps of all contacts that a pair of flat faces has are a linear function of the place. Small gaps count as closed; were that decided
//! contact by contact, some of a face's would be lifted by as little as a rounding and others not, and what was flat would be bent: too many
//! points for one plane, each with a load of its own to be found. Measured on 600 steps of a pile of 300 boxes: 82,000 Newton steps instead of
//! 177,000.

use crate::collision::Contact;
use crate::slack::Slack;

/// Gaps less that of their face's nearest point, where that is closed; zero where all of the face is closed. Contacts from `grouped` on are
/// sides of corners, each for itself. `slack` is that of a pair.
pub(crate) fn level(contacts: &[Contact], grouped: usize, slack: impl Fn(&Contact) -> Slack, levels: &mut Vec<f64>) {
    levels.clear();
    // Contacts of one pair along one normal follow each other.
    let is_one = |x: &Contact, y: &Contact| x.a == y.a && x.b == y.b && x.normal == y.normal;
    let (faces, sides) = contacts.split_at(grouped.min(contacts.len()));
    for face in faces.chunk_by(is_one).chain(sides.chunks(1)) {
        let Some(slack) = face.first().map(&slack) else {
            continue;
        };
        let nearest = face.iter().fold(f64::INFINITY, |m, c| m.min(c.gap));
        let farthest = face.iter().fold(f64::NEG_INFINITY, |m, c| m.max(c.gap));
        if nearest >= -slack.overlap && farthest <= slack.closed {
            levels.extend(face.iter().map(|_| 0.0));
        } else if nearest >= -slack.overlap && nearest <= slack.closed {
            levels.extend(face.iter().map(|c| c.gap - nearest));
        } else {
            levels.extend(face.iter().map(|c| c.gap));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vec3;

    const SLACK: Slack = Slack {
        closed: 1e-8,
        overlap: 1e-11,
    };

    fn face(gaps: &[f64]) -> Vec<Contact> {
        let contact = |gap: &f64| Contact {
            a: 1,
            b: 0,
            point: Vec3::zeros(),
            normal: Vec3::z(),
            gap: *gap,
            key: 0,
        };
        gaps.iter().map(contact).collect()
    }

    fn levels(gaps: &[f64], grouped: usize) -> Vec<f64> {
        let mut levels = Vec::new();
        level(&face(gaps), grouped, |_| SLACK, &mut levels);
        levels
    }

    #[test]
    fn a_face_is_closed_as_a_whole() {
        assert_eq!(levels(&[9e-9, -5e-12, 0.0, 1e-8], 9), [0.0; 4]);
    }

    #[test]
    fn a_tilted_face_stays_flat() {
        // Along a line at 0, 1, 2, 3: one contact by one, the first two would be closed and the line bent.
        let found = levels(&[4e-9, 8e-9, 1.2e-8, 1.6e-8], 9);
        assert_eq!(found[0], 0.0);
        for k in 1..4 {
            let step = found[k] - found[k - 1];
            assert!((step - 4e-9).abs() < 1e-22, "{step:e}");
        }
    }

    #[test]
    fn overlap_and_distance_are_left_as_they_are() {
        for gaps in [[-1e-3, 0.0, 2e-8], [1e-3, 2e-3, 3e-3]] {
            assert_eq!(levels(&gaps, 9), gaps);
        }
    }

    #[test]
    fn sides_of_corners_stand_alone() {
        assert_eq!(levels(&[1e-3, 9e-9, -1e-3], 0), [1e-3, 0.0, -1e-3]);
    }

    #[test]
    fn pairs_and_normals_make_faces() {
        let mut contacts = face(&[0.0, 5e-9, 2e-8]);
        contacts[2].normal = Vec3::x();
        contacts[1].b = 2;
        let mut levels = Vec::new();
        level(&contacts, 9, |_| SLACK, &mut levels);
        assert_eq!(levels, [0.0, 0.0, 2e-8]);
    }
}
