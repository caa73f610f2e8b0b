package sandbox

import (
	"os"
	"syscall"
	"time"
)

// lockFile opens a file that nobody else can open as long as it stays open.
// Unless wait is set, a file that somebody else holds is an error.
func lockFile(path string, wait bool) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	for {
		h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil,
			syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
		if err == nil {
			return os.NewFile(uintptr(h), path), nil
		}
		if !wait {
			return nil, err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// The folder is the user's own by the permissions of its parent.
func ownedByUs(os.FileInfo) bool    { return true }
func openToOthers(os.FileInfo) bool { return false }
