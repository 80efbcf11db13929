//! JSON schemas of the channels, written into every MCAP file so that other tools can show them.

/// Topic and schema of each channel, in the order of [`super::Message`]'s variants.
pub(crate) const CHANNELS: [(&str, &str); 4] = [
    ("/world", include_str!("schema/world.json")),
    ("/poses", include_str!("schema/poses.json")),
    ("/contacts", include_str!("schema/contacts.json")),
    ("/stats", include_str!("schema/stats.json")),
];
