package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"rung/model/ovn/nb"
)

// FileName is a name as a file name: plain characters of it, and a digest so that
// two contexts never share a file.
func FileName(name string) string {
	b := make([]byte, 0, 40)
	for i := 0; i < len(name) && len(b) < 40; i++ {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
			b = append(b, c)
		case len(b) > 0 && b[len(b)-1] != '-':
			b = append(b, '-')
		}
	}
	return string(b) + "." + nb.HashedName(name)
}

// SetAside gives a file that cannot be read the first name that is free; give does it, and
// is fs.ErrExist where there is something of that name.
func SetAside(path string, give func(name string) error) error {
	for n := 1; ; n++ {
		err := give(fmt.Sprintf("%s.unreadable-%d", path, n))
		if !errors.Is(err, fs.ErrExist) || n == 1000 {
			return err
		}
	}
}

// MaxNumber bounds what is believed of a number; none that Rung gives comes near.
const MaxNumber = 1 << 53

// SameFile says whether a file is as it was seen before, nil for never.
func SameFile(was, now fs.FileInfo) bool {
	return was != nil && os.SameFile(was, now) && was.Size() == now.Size() && was.ModTime().Equal(now.ModTime())
}
