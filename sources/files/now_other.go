//go:build !unix

package files

import "os"

// openWithoutWait opens a file for reading; where there are no FIFOs among files that
// does not wait.
func openWithoutWait(name string) (*os.File, error) { return os.Open(name) }
