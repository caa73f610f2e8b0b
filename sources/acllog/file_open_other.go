//go:build !windows

package acllog

import (
	"os"

	"rung/sources/files"
)

// openShared opens a regular file without waiting, and keeps nobody from renaming it.
func openShared(path string) (*os.File, error) { return files.OpenRegular(path) }
