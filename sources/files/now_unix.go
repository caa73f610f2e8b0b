//go:build unix

package files

import (
	"os"
	"syscall"
)

// openWithoutWait opens a file for reading and does not wait for a FIFO's writer, nor
// for a device.
func openWithoutWait(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
}
