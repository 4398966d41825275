"""The Iceberg format: metadata.json, manifest lists, manifests and names, read with bounds and written exactly.

Reading turns bytes into frozen values or raises IcebergFileError; writing turns values into the bytes that Iceberg's
Java 1.12 would have written, random parts (sync marker, UUIDs, ids) passed in.
"""

from wasim.errors import IcebergFileError
from wasim.iceberg.manifest_lists import ManifestFile, read_manifest_list
from wasim.iceberg.manifests import ManifestHeader, read_manifest, read_manifest_header
from wasim.iceberg.metadata_json import TableMetadata, read_metadata_json
from wasim.iceberg.names import Kind, kind_by_name
from wasim.iceberg.record_fields import DataFileEntry, ManifestContent, ManifestEntry
