"""Digests, and the keys under which artifacts are stored."""

from quire.core.keys import ArtifactKey, Digest, Profile, artifact_key, digest_bytes, digest_of

__all__ = ["ArtifactKey", "Digest", "Profile", "artifact_key", "digest_bytes", "digest_of"]
