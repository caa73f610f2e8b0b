package sandbox

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rung/sources/safefile"
)

// markName is the file that marks a folder as a sandbox's. It lists what the zones'
// files are called, so that exactly those are removed, whoever does it.
const markName = "rung-sandbox"

// markHead is its first line.
const markHead = "A sandbox of rung: it removes the files of the zones named below, and nothing else."

// labMark is the line of a folder where zones run on OVN: their folders in it are those
// that package ovn makes.
const labMark = "ovn~"

// maxMark bounds what is read of a mark.
const maxMark = 1 << 20

// mark is the mark of a folder that is in use.
type mark struct {
	file  *os.File
	names []string
}

// newMark writes the mark of a folder that holds nothing of a sandbox any more.
func newMark(dir string) (*mark, error) {
	path := filepath.Join(dir, markName)
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("marking the sandbox folder: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		if _, err = io.WriteString(f, markHead+"\n"); err != nil {
			_ = f.Close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("marking the sandbox folder: %w", err)
	}
	return &mark{file: f}, nil
}

// add notes a zone's files before they are made.
func (m *mark) add(name string) error {
	if slices.Contains(m.names, name) {
		return nil
	}
	if _, err := io.WriteString(m.file, name+"\n"); err != nil {
		return fmt.Errorf("noting the files of %s in %s: %w", name, markName, err)
	}
	m.names = append(m.names, name)
	return nil
}

// readMark reads what a folder's mark lists; marked is false where there is none. A
// link is none, and neither is a file with another first line. What cannot be the
// name of a zone's files, a torn last line among it, is left out.
func readMark(dir string) (names []string, marked bool) {
	path := filepath.Join(dir, markName)
	fi, err := os.Lstat(path)
	if err != nil || !fi.Mode().IsRegular() || !safefile.Mine(fi) {
		return nil, false
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxMark))
	if err != nil || !strings.Contains(string(text), "\n") {
		return nil, false
	}
	lines := strings.Split(string(text), "\n")
	if lines[0] != markHead {
		return nil, false
	}
	for _, line := range lines[1 : len(lines)-1] { // what is behind the last line's end is torn
		if ownName(line) || line == labMark {
			names = append(names, line)
		}
	}
	return names, true
}
