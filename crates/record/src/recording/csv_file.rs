//! CSV: three tables with a heading each. Numbers are the shortest that read back to the same bits.

use std::borrow::Cow;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::due::Due;
use super::growing::Growing;
use stiction_sim::Work;

use super::{ContactsRecord, Message, PosesRecord, RecordError, StatsRecord};

const POSES: &str = "step,time,body,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz";
const CONTACTS: &str = "step,time,a,b,x,y,z,nx,ny,nz,gap,normal_force,fx,fy,fz,state,friction,\
                        slip_speed,residual,unique";
const STATS: &str = "step,time,steps,contacts,islands,warm,pivots,newton_steps,split,residual,penetration,\
                     kinetic,potential,dissipated,injected,eased,stepping,worst_gain,hash,\
                     slip,impacts,numerical_velocity,numerical_closing,numerical_returned,numerical_flight,\
                     work_tries,work_solves,work_passes,work_newton_steps,work_factorisations,work_pivots,work_fallbacks,\
                     work_corrections,work_correction_steps,work_operations";

/// The three tables.
#[derive(Debug)]
pub(crate) struct CsvFile {
    tables: [Table; 3],
    due: Due,
    /// Time of the last message, and of the last that is in the files \[s\].
    times: [f64; 2],
}

/// A table and the lines that are still to be written.
#[derive(Debug)]
struct Table {
    file: Growing,
    lines: Vec<u8>,
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
        let table = |path: &Path, heading: &str| {
            Ok::<Table, RecordError>(Table {
                file: Growing::create(path)?,
                lines: format!("{heading}\n").into_bytes(),
            })
        };
        Ok(Self {
            tables: [table(poses, POSES)?, table(contacts, CONTACTS)?, table(stats, STATS)?],
            due: Due::from(0.0, 0),
            times: [0.0; 2],
        })
    }

    pub(crate) fn write(&mut self, message: &Message) -> Result<(), RecordError> {
        let [poses, contacts, stats] = &mut self.tables;
        let (table, written) = match message {
            Message::World(_) => return Ok(()),
            Message::Poses(record) => (poses.file.path(), write_poses(&mut poses.lines, record)),
            Message::Contacts(record) => (contacts.file.path(), write_contacts(&mut contacts.lines, record)),
            Message::Stats(record) => (stats.file.path(), write_stats(&mut stats.lines, record)),
        };
        written.map_err(RecordError::io(table))?;
        self.times[0] = message.time();
        // The last message of a step.
        let Message::Stats(stats) = message else { return Ok(()) };
        let bytes = self.tables.iter().map(|table| table.lines.len()).sum();
        if self.due.is_over(stats.time, stats.step, bytes) {
            self.flush()?;
            self.due = Due::from(stats.time, stats.step);
        }
        Ok(())
    }

    /// Writes what there is, and gives the files their names, the one that was named by the caller last.
    pub(crate) fn begin(&mut self) -> Result<(), RecordError> {
        self.flush()?;
        self.tables.iter_mut().rev().try_for_each(|table| table.file.place())
    }

    /// Writes the lines at hand; those of the figures last, so that a frame that has them has all.
    fn flush(&mut self) -> Result<(), RecordError> {
        for table in &mut self.tables {
            let written = table.file.write(&table.lines);
            table.lines.clear();
            written.map_err(|source| RecordError::Stopped {
                path: table.file.path().to_owned(),
                source,
                time: self.times[1],
                earlier: table.file.earlier().map(Path::to_owned),
            })?;
        }
        self.times[1] = self.times[0];
        Ok(())
    }

    /// Writes what there is, where nobody requested the end.
    pub(crate) fn abandon(&mut self) {
        if self.tables.iter().all(|table| !table.file.failed()) {
            // Nothing is left to do where it cannot be written.
            let _ = self.flush();
        }
    }

    /// The table that was named by the caller gets its name last.
    pub(crate) fn finish(mut self) -> Result<Vec<PathBuf>, RecordError> {
        self.flush()?;
        let mut paths = Vec::new();
        for table in self.tables.into_iter().rev() {
            paths.push(table.file.finish()?);
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
        write_known(out, &[contact.friction, contact.slip_speed, contact.residual])?;
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
    write!(out, ",{}", stats.hash)?;
    write_known(out, &stats.parts())?;
    match stats.work {
        Some(work) => work.counts().iter().try_for_each(|count| write!(out, ",{count}"))?,
        None => write!(out, "{}", ",".repeat(Work::default().counts().len()))?,
    }
    writeln!(out)
}

fn write_numbers(out: &mut impl Write, numbers: &[f64]) -> std::io::Result<()> {
    numbers.iter().try_for_each(|x| write!(out, ",{x:?}"))
}

/// Numbers of which some may be missing: their fields are empty.
fn write_known(out: &mut impl Write, numbers: &[Option<f64>]) -> std::io::Result<()> {
    numbers.iter().try_for_each(|number| match number {
        Some(x) => write_numbers(out, &[*x]),
        None => write!(out, ","),
    })
}

/// A name as a field: in quotes where it holds what would end it (RFC 4180).
fn quoted(name: &str) -> Cow<'_, str> {
    if name.contains([',', '"', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", name.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(name)
    }
}
