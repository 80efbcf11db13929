//! CSV: three tables with a heading each. Numbers are the shortest that read back to the same bits.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::partial::Partial;
use super::{ContactsRecord, Message, PosesRecord, RecordError, StatsRecord};

const POSES: &str = "step,time,body,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz";
const CONTACTS: &str = "step,time,a,b,x,y,z,nx,ny,nz,gap,normal_force,fx,fy,fz,state,friction,\
                        slip_speed,residual,unique";
const STATS: &str = "step,time,steps,contacts,islands,warm,pivots,newton_steps,split,residual,penetration,\
                     kinetic,potential,dissipated,injected,eased,stepping,worst_gain,hash";

/// The three tables, each with the name that it gets when all are complete.
#[derive(Debug)]
pub(crate) struct CsvFile {
    tables: [(BufWriter<File>, Partial); 3],
}

/// Names of the tables in a folder.
pub(crate) fn in_folder(path: &Path) -> [PathBuf; 3] {
    ["poses.csv", "contacts.csv", "stats.csv"].map(|name| path.join(name))
}

/// Names of the tables where the first is given.
pub(crate) fn beside(path: &Path) -> [PathBuf; 3] {
    [
        path.to_owned(),
        path.with_extension("contacts.csv"),
        path.with_extension("stats.csv"),
    ]
}

impl CsvFile {
    pub(crate) fn create([poses, contacts, stats]: &[PathBuf; 3]) -> Result<Self, RecordError> {
        let table = |path: &Path, heading| {
            let (partial, mut file) = Partial::create(path)?;
            writeln!(file, "{heading}").map_err(RecordError::io(path))?;
            Ok((file, partial))
        };
        Ok(Self {
            tables: [table(poses, POSES)?, table(contacts, CONTACTS)?, table(stats, STATS)?],
        })
    }

    pub(crate) fn write(&mut self, message: &Message) -> Result<(), RecordError> {
        let at = match message {
            Message::World(_) => return Ok(()),
            Message::Poses(_) => 0,
            Message::Contacts(_) => 1,
            Message::Stats(_) => 2,
        };
        let (file, partial) = &mut self.tables[at];
        let written = match message {
            Message::World(_) => Ok(()),
            Message::Poses(poses) => write_poses(file, poses),
            Message::Contacts(contacts) => write_contacts(file, contacts),
            Message::Stats(stats) => write_stats(file, stats),
        };
        written.map_err(RecordError::io(partial.path()))
    }

    /// The table that was named by the caller gets its name last.
    pub(crate) fn finish(self) -> Result<Vec<PathBuf>, RecordError> {
        let mut paths = Vec::new();
        for (file, partial) in self.tables.into_iter().rev() {
            paths.push(partial.finish(file)?);
        }
        paths.reverse();
        Ok(paths)
    }
}

fn write_poses(out: &mut impl Write, poses: &PosesRecord) -> std::io::Result<()> {
    let places = poses.positions.iter().zip(&poses.orientations).zip(&poses.velocities);
    for (name, ((position, orientation), velocity)) in poses.names.iter().zip(places) {
        write!(out, "{},{:?},{}", poses.step, poses.time, quoted(name))?;
        write_numbers(out, position)?;
        write_numbers(out, orientation)?;
        write_numbers(out, velocity)?;
        writeln!(out)?;
    }
    Ok(())
}

fn write_contacts(out: &mut impl Write, contacts: &ContactsRecord) -> std::io::Result<()> {
    for contact in &contacts.contacts {
        let (a, b) = (quoted(&contact.a), quoted(&contact.b));
        write!(out, "{},{:?},{a},{b}", contacts.step, contacts.time)?;
        write_numbers(out, &contact.point)?;
        write_numbers(out, &contact.normal)?;
        write_numbers(out, &[contact.gap, contact.normal_force])?;
        write_numbers(out, &contact.friction_force)?;
        write!(out, ",{}", contact.state)?;
        for number in [contact.friction, contact.slip_speed, contact.residual] {
            match number {
                Some(x) => write_numbers(out, &[x])?,
                None => write!(out, ",")?,
            }
        }
        writeln!(
            out,
            ",{}",
            contact.unique.map_or("", |u| if u { "true" } else { "false" })
        )?;
    }
    Ok(())
}

fn write_stats(out: &mut impl Write, stats: &StatsRecord) -> std::io::Result<()> {
    write!(
        out,
        "{},{:?},{},{},{},{},{},{},{}",
        stats.step,
        stats.time,
        stats.steps,
        stats.contacts,
        stats.islands,
        stats.warm,
        stats.pivots,
        stats.newton_steps,
        stats.split
    )?;
    write_numbers(
        out,
        &[
            stats.residual,
            stats.penetration,
            stats.kinetic,
            stats.potential,
            stats.dissipated,
            stats.injected,
            stats.eased,
            stats.stepping,
            stats.worst_gain,
        ],
    )?;
    writeln!(out, ",{}", stats.hash)
}

fn write_numbers(out: &mut impl Write, numbers: &[f64]) -> std::io::Result<()> {
    numbers.iter().try_for_each(|x| write!(out, ",{x:?}"))
}

/// A name as a field: in quotes where it holds what would end it (RFC 4180).
fn quoted(name: &str) -> Cow<'_, str> {
    if name.contains([',', '"', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", name.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(name)
    }
}
