"""The trailer of an HFile, its file info, and the protobuf wire form both are written in. Rules FORMAT-15 and FORMAT-18."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from hudi_core.errors import CorruptFileError, UnsupportedError

TRAILER_SIZE = 4096
_MAGIC = b'TRABLK"$'
_MAJOR_VERSION = 3
_MAX_INDEX_LEVELS = 16  # a three-level index of default blocks already spans petabytes
_FILE_INFO_MAGIC = b"PBUF"


class Codec(Enum):
    """How blocks are compressed, by the numbers of HBase."""

    LZO = 0
    GZ = 1
    NONE = 2
    SNAPPY = 3
    LZ4 = 4
    BZIP2 = 5
    ZSTD = 6


@dataclass(frozen=True, slots=True)
class Trailer:
    """The content of the last 4,096 bytes. Offsets count from the start of the file."""

    minor_version: int
    file_info_offset: int
    load_on_open_offset: int
    data_index_count: int
    meta_index_count: int
    entry_count: int
    data_index_levels: int
    first_data_block_offset: int
    last_data_block_offset: int
    comparator: str
    codec: Codec


def parse_trailer(data: bytes, file_size: int, where: str) -> Trailer:
    """`data` is the last `TRAILER_SIZE` bytes of the file. `UnsupportedError` for another major version, codec, encryption."""
    place = f"{where}: trailer"
    if not data.startswith(_MAGIC):
        raise CorruptFileError(place, expected=f"magic {_MAGIC!r}", found=repr(bytes(data[:8])))
    version = int.from_bytes(data[-4:], "big")
    if version & 0xFFFFFF != _MAJOR_VERSION:
        raise UnsupportedError(place, expected="HFile version 3", found=f"version {version & 0xFFFFFF}")
    numbers: dict[int, int] = {}
    byte_values: dict[int, bytes] = {}
    for field, value in protobuf_fields(_read_delimited(data[len(_MAGIC) : -4], place), place):
        if isinstance(value, int):
            numbers[field] = value
        else:
            byte_values[field] = value
    if byte_values.get(13):  # an empty key is none
        raise UnsupportedError(place, expected="an unencrypted file", found="an encryption key")
    try:
        codec = Codec(numbers.get(12, Codec.NONE.value))
    except ValueError:
        raise CorruptFileError(place, expected="a codec from 0 to 6", found=str(numbers[12])) from None
    if codec not in (Codec.GZ, Codec.NONE):
        raise UnsupportedError(place, expected="codec GZ or NONE", found=f"codec {codec.name}")
    trailer = Trailer(
        minor_version=version >> 24,
        file_info_offset=numbers.get(1, 0),
        load_on_open_offset=numbers.get(2, 0),
        data_index_count=numbers.get(5, 0),
        meta_index_count=numbers.get(6, 0),
        entry_count=numbers.get(7, 0),
        data_index_levels=numbers.get(8, 1),
        first_data_block_offset=_read_signed(numbers.get(9, 0)),
        last_data_block_offset=_read_signed(numbers.get(10, 0)),
        comparator=byte_values.get(11, b"").decode("utf-8", "replace"),
        codec=codec,
    )
    end = file_size - TRAILER_SIZE
    if not trailer.load_on_open_offset <= trailer.file_info_offset <= end:
        raise CorruptFileError(
            place,
            expected=f"the load-on-open section and the file info in order before offset {end}",
            found=f"offsets {trailer.load_on_open_offset} and {trailer.file_info_offset}",
        )
    if not 1 <= trailer.data_index_levels <= _MAX_INDEX_LEVELS:
        raise CorruptFileError(
            place, expected=f"1 to {_MAX_INDEX_LEVELS} index levels", found=str(trailer.data_index_levels)
        )
    return trailer


def parse_file_info(data: bytes, where: str) -> dict[bytes, bytes]:
    """The body of the file info block: keys and values."""
    place = f"{where}: file info"
    if not data.startswith(_FILE_INFO_MAGIC):
        raise CorruptFileError(place, expected=f"magic {_FILE_INFO_MAGIC!r}", found=repr(bytes(data[:4])))
    info: dict[bytes, bytes] = {}
    for field, entry in protobuf_fields(_read_delimited(data[len(_FILE_INFO_MAGIC) :], place), place):
        if field != 1 or isinstance(entry, int):
            continue
        parts = {part: value for part, value in protobuf_fields(entry, place) if isinstance(value, bytes)}
        info[parts.get(1, b"")] = parts.get(2, b"")
    return info


def encode_trailer(trailer: Trailer, data_bytes: int) -> bytes:
    """The last `TRAILER_SIZE` bytes of a file; `data_bytes` counts those of all cells before compression."""
    numbers = {
        1: trailer.file_info_offset,
        2: trailer.load_on_open_offset,
        3: data_bytes,
        5: trailer.data_index_count,
        6: trailer.meta_index_count,
        7: trailer.entry_count,
        8: trailer.data_index_levels,
        9: trailer.first_data_block_offset,
        10: trailer.last_data_block_offset,
    }
    message = b"".join(_encode_varint(field << 3) + _encode_varint(number) for field, number in numbers.items())
    message += _encode_bytes(11, trailer.comparator.encode())
    message += _encode_varint(12 << 3) + _encode_varint(trailer.codec.value)
    head = _MAGIC + _encode_varint(len(message)) + message
    return head.ljust(TRAILER_SIZE - 4, b"\0") + (trailer.minor_version << 24 | _MAJOR_VERSION).to_bytes(4, "big")


def encode_file_info(info: Mapping[bytes, bytes]) -> bytes:
    """The body of the file info block."""
    pairs = [_encode_bytes(1, _encode_bytes(1, key) + _encode_bytes(2, info[key])) for key in sorted(info)]
    message = b"".join(pairs)
    return _FILE_INFO_MAGIC + _encode_varint(len(message)) + message


def protobuf_fields(data: bytes, place: str) -> Iterator[tuple[int, int | bytes]]:
    """Field numbers and values of one message: varints and fixed ones as unsigned integers, the others as bytes."""
    position = 0
    while position < len(data):
        tag, position = _varint(data, position, place)
        match tag & 7:
            case 0:
                value, position = _varint(data, position, place)
                yield tag >> 3, value
            case 1 | 5 as kind:
                length = 8 if kind == 1 else 4
                yield tag >> 3, int.from_bytes(_part(data, position, length, place), "little")
                position += length
            case 2:
                length, position = _varint(data, position, place)
                yield tag >> 3, _part(data, position, length, place)
                position += length
            case other:
                raise CorruptFileError(
                    place, expected="a protobuf message", found=f"wire type {other} at byte {position}"
                )


def _read_delimited(data: bytes, place: str) -> bytes:
    """The message at the start of `data`, after its own length."""
    length, position = _varint(data, 0, place)
    return _part(data, position, length, place)


def _part(data: bytes, position: int, length: int, place: str) -> bytes:
    if position + length > len(data):
        raise CorruptFileError(
            place, expected=f"{length} bytes at byte {position}", found=f"{len(data) - position} bytes"
        )
    return bytes(data[position : position + length])


def _varint(data: bytes, position: int, place: str) -> tuple[int, int]:
    """A protobuf varint of at most 64 bits, and where the next field starts."""
    if position < len(data) and data[position] < 0x80:
        return data[position], position + 1
    value = 0
    for index, byte in enumerate(data[position : position + 10]):
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value & 0xFFFFFFFF_FFFFFFFF, position + index + 1
    raise CorruptFileError(place, expected=f"a varint at byte {position}", found="none that ends")


def _encode_bytes(field: int, value: bytes) -> bytes:
    return _encode_varint(field << 3 | 2) + _encode_varint(len(value)) + value


def _encode_varint(value: int) -> bytes:
    """A protobuf varint; of a negative number, its 64 bits."""
    value &= 0xFFFFFFFF_FFFFFFFF
    encoded = bytearray()
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(encoded + bytes([value]))


def _read_signed(value: int) -> int:
    signed: int = struct.unpack("<q", struct.pack("<Q", value))[0]
    return signed
