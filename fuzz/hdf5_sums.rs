//! HDF5 files whose checksums are made right: a changed byte would be refused by the sum around it, and what lies behind would never be tried.

/// Signature of the superblock.
const SUPERBLOCK: &[u8] = b"\x89HDF\r\n\x1a\n";

/// The bytes with a right sum after every block of metadata whose length its header tells.
pub fn sealed(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for at in 0..bytes.len() {
        let Some(end) = length(&bytes, at).and_then(|length| at.checked_add(length)) else {
            continue;
        };
        if let Some(block) = bytes.get(at..end) {
            let sum = lookup3(block).to_le_bytes();
            if let Some(place) = bytes.get_mut(end..).and_then(|rest| rest.get_mut(..4)) {
                place.copy_from_slice(&sum);
            }
        }
    }
    bytes
}

/// Bytes before the sum of the block that begins here.
fn length(bytes: &[u8], at: usize) -> Option<usize> {
    let block = &bytes[at..];
    match block.get(..4)? {
        b"OHDR" => {
            let flags = *block.get(5)?;
            let times = if flags & 0x20 == 0 { 0 } else { 16 };
            let limits = if flags & 0x10 == 0 { 0 } else { 4 };
            let (start, width) = (6 + times + limits, 1 << (flags & 3));
            number(block, start, width)?.checked_add(start + width)
        }
        b"OCHK" => continuation(bytes, at)?.checked_sub(4),
        // Chunks of a data set: the header, then the list, whose size stands in the header beside its address.
        b"FAHD" => Some(24),
        b"FADB" => {
            let address = at.checked_sub(base(bytes)?)?;
            let points_here = |header: &&[u8]| header.starts_with(b"FAHD") && number(header, 16, 8) == Some(address);
            let header = bytes.windows(24).find(points_here)?;
            let (width, count) = (number(header, 6, 1)?, number(header, 8, 8)?);
            count.checked_mul(width)?.checked_add(14)
        }
        _ if block.starts_with(SUPERBLOCK) && *block.get(8)? >= 2 => Some(12 + 4 * number(block, 9, 1)?),
        _ => None,
    }
}

/// Length of the continuation here: it stands behind the address, in a message of a header.
fn continuation(bytes: &[u8], at: usize) -> Option<usize> {
    let address = u64::try_from(at.checked_sub(base(bytes)?)?).ok()?.to_le_bytes();
    let message = bytes.windows(16).find(|window| window[..8] == address)?;
    number(message, 8, 8)
}

/// Where addresses are counted from: MATLAB puts 512 bytes before the file.
fn base(bytes: &[u8]) -> Option<usize> {
    [0, 512]
        .into_iter()
        .find(|at| bytes.get(*at..).is_some_and(|rest| rest.starts_with(SUPERBLOCK)))
}

/// A number of some bytes, the lowest first.
fn number(bytes: &[u8], at: usize, width: usize) -> Option<usize> {
    let digits = bytes.get(at..)?.get(..width)?.iter().rev();
    let value = digits.fold(0_u64, |value, digit| value << 8 | u64::from(*digit));
    usize::try_from(value).ok()
}

/// Bob Jenkins' lookup3 with the start 0.
fn lookup3(block: &[u8]) -> u32 {
    let length = block.len().to_le_bytes();
    let start = u32::from_le_bytes([length[0], length[1], length[2], length[3]]).wrapping_add(0xdead_beef);
    let [mut a, mut b, mut c] = [start; 3];
    let count = block.len().div_ceil(12);
    for (k, part) in block.chunks(12).enumerate() {
        let mut bytes = [0; 12];
        bytes[..part.len()].copy_from_slice(part);
        let word = |k: usize| u32::from_le_bytes([bytes[k], bytes[k + 1], bytes[k + 2], bytes[k + 3]]);
        a = a.wrapping_add(word(0));
        b = b.wrapping_add(word(4));
        c = c.wrapping_add(word(8));
        // The three words take turns.
        if k + 1 < count {
            for turn in [4, 6, 8, 16, 19, 4] {
                let mixed = a.wrapping_sub(c) ^ c.rotate_left(turn);
                (a, b, c) = (b, c.wrapping_add(b), mixed);
            }
        } else {
            for turn in [14, 11, 25, 16, 4, 14, 24] {
                let mixed = (c ^ b).wrapping_sub(b.rotate_left(turn));
                (a, b, c) = (b, mixed, a);
            }
        }
    }
    b
}
