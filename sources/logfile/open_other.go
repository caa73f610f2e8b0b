//go:build !windows

package logfile

import (
	"os"

	"rung/sources/reading"
)

// openShared opens a regular file without waiting, and keeps nobody from renaming it.
func openShared(path string) (*os.File, error) { return reading.OpenRegular(path) }
