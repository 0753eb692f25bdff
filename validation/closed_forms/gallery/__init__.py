"""Known solutions, each in a small file with its source, proved by the same machinery as a user's own."""

from equiform.validation.closed_forms.gallery.registry import Entry, gallery, gallery_entry

__all__ = ["Entry", "gallery", "gallery_entry"]
