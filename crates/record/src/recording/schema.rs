//! Schemas of the channels, written into every MCAP file so that other tools can show them.

/// A channel.
#[derive(Debug)]
pub(crate) struct Channel {
    /// Its name.
    pub(crate) topic: &'static str,
    /// Name of its schema.
    pub(crate) name: &'static str,
    /// Encoding of the schema.
    pub(crate) schema_encoding: &'static str,
    /// The schema.
    pub(crate) schema: &'static str,
    /// Encoding of its messages.
    pub(crate) encoding: &'static str,
}

/// Messages as JSON text.
pub(crate) const JSON: &str = "json";
/// Messages as ROS 1 writes them: fields one after the other in little endian, lists and texts after their length in four bytes.
pub(crate) const BINARY: &str = "ros1";

const fn binary(topic: &'static str, name: &'static str, schema: &'static str) -> Channel {
    Channel {
        topic,
        name,
        schema_encoding: "ros1msg",
        schema,
        encoding: BINARY,
    }
}

/// The channels in the order of [`super::Message`]'s variants.
pub(crate) const CHANNELS: [Channel; 4] = [
    Channel {
        topic: "/world",
        name: "stiction.world",
        schema_encoding: "jsonschema",
        schema: include_str!("schema/world.json"),
        encoding: JSON,
    },
    binary("/poses", "stiction/Poses", include_str!("schema/poses.msg")),
    binary("/contacts", "stiction/Contacts", include_str!("schema/contacts.msg")),
    binary("/stats", "stiction/Stats", include_str!("schema/stats.msg")),
];
