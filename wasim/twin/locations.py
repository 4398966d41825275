"""Where the files of a table go: Iceberg's default layout, folders of their own, and those that spread over a store."""

from dataclasses import dataclass

from wasim.iceberg.properties import TableProperties
from wasim.twin.hashing import murmur3_32

_HASH_BITS = 20
_FOLDER_BITS = 4
_FOLDERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Locations:
    """Folders of a table at `table`. In `data`, files may be spread by a hash of their names.

    Where they are, partitions need not have folders; without, the hash's last part leads the file's name.
    """

    table: str
    data: str
    metadata: str
    is_spread: bool = False
    has_partition_folders: bool = True

    def metadata_file(self, name: str) -> str:
        """The path of a metadata file."""
        return f"{self.metadata}/{name}"

    def data_file(self, folder: str, name: str) -> str:
        """The path of a data or delete file; `folder` is its partition's, with a slash at the end, or empty."""
        if not self.is_spread:
            return f"{self.data}/{folder}{name}"
        if self.has_partition_folders:
            return f"{self.data}/{_spread(folder + name)}/{folder}{name}"
        return f"{self.data}/{_spread(name)}-{name}"

    def relative(self, path: str) -> str:
        """The path of a file within the table."""
        return path.removeprefix(f"{self.table}/")


def locations_of(location: str, properties: TableProperties) -> Locations:
    """Where a table at that location puts its files; the properties' own locations are relative to it."""
    return Locations(
        table=location,
        data=f"{location}/{properties.write_data_location or 'data'}",
        metadata=f"{location}/{properties.write_metadata_location or 'metadata'}",
        is_spread=properties.object_store_enabled,
        has_partition_folders=properties.object_store_partitioned_paths,
    )


def _spread(name: str) -> str:
    """The last bits of the name's hash, as folders of four bits and what is left: 0110/1001/0011/11001010."""
    bits = f"{murmur3_32(name.encode()) & (1 << _HASH_BITS) - 1:0{_HASH_BITS}b}"
    folders = [bits[place * _FOLDER_BITS : (place + 1) * _FOLDER_BITS] for place in range(_FOLDERS)]
    return "/".join([*folders, bits[_FOLDERS * _FOLDER_BITS :]])
