"""Read-only access to where tables lie: a local folder or S3. Nothing here can write, rename or delete."""

from wasim.storage.access import (
    FileRead,
    S3Options,
    Storage,
    StorageError,
    StoredFile,
    open_storage,
    plain_path,
    read_each,
    scheme_of,
)
