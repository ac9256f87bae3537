"""Digests, and the keys under which artifacts are stored."""

from quire.core.keys import ArtifactKey as ArtifactKey
from quire.core.keys import Digest as Digest
from quire.core.keys import Profile as Profile
from quire.core.keys import artifact_key as artifact_key
from quire.core.keys import digest_bytes as digest_bytes
from quire.core.keys import digest_of as digest_of
