"""Encrypted office files, opened with their password. Runs in worker processes."""

from __future__ import annotations

import io

from quire.core.errors import ConfigurationError, CorruptError, PasswordError, install_advice
from quire.pages.formats.safety import OLE


def decrypted(data: bytes, *, password: str | None, name: str) -> bytes:
    """The bytes of the document without its encryption; those of any other document as they are.

    Raises PasswordError when the password is missing or wrong.
    """
    if not data.startswith(OLE):
        return data
    try:
        import msoffcrypto
        from msoffcrypto.exceptions import DecryptionError, FileFormatError, InvalidKeyError
    except ImportError as error:
        raise ConfigurationError(
            f"{name}: whether it is encrypted is not known: {install_advice('formats')}"
        ) from error
    try:
        file = msoffcrypto.OfficeFile(io.BytesIO(data))
        if not file.is_encrypted():
            return data
    except FileFormatError:
        return data  # a message of Outlook, or nothing that an office program made
    except Exception as error:  # whatever it meets in damaged files
        raise CorruptError(f"is damaged ({error}); save or download it again", document=name) from error
    if password is None:
        raise PasswordError("is encrypted; pass its password", document=name)
    out = io.BytesIO()
    try:
        file.load_key(password=password)
        file.decrypt(out)
    except (InvalidKeyError, DecryptionError) as error:
        raise PasswordError("is encrypted, and the password is wrong", document=name) from error
    except Exception as error:
        raise CorruptError(f"cannot be decrypted ({error}); save it without a password", document=name) from error
    return out.getvalue()
