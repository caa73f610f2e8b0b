package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rung/model/words"
	"rung/sources/files"
)

// markName is the file that marks a sandbox folder. It lists the zones' file names, so that only these files
// are removed.
const markName = "rung-sandbox"

// markHead is its first line.
const markHead = "A sandbox of rung: it removes the files of the zones named below, and nothing else."

// labMark is the mark's line for zones on OVN, whose folders Lab makes.
const labMark = "ovn~"

// maxMark limits the bytes read of a mark.
const maxMark = 1 << 20

// folderMark is the mark of a folder in use.
type folderMark struct {
	file  *os.File
	names []string
}

// newMark writes the mark of a folder without sandbox files.
func newMark(dir string) (*folderMark, error) {
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
	return &folderMark{file: f}, nil
}

// addFile records a zone's file name before the files are made.
func (m *folderMark) addFile(name string) error {
	if slices.Contains(m.names, name) {
		return nil
	}
	if _, err := io.WriteString(m.file, name+"\n"); err != nil {
		return fmt.Errorf("noting the files of %s in %s: %w", name, markName, err)
	}
	m.names = append(m.names, name)
	return nil
}

// readMark returns the names in a folder's mark. marked is false without a mark, for a link, and for another
// first line. It skips invalid names, such as a torn last line.
func readMark(dir string) (names []string, marked bool) {
	path := filepath.Join(dir, markName)
	fi, err := os.Lstat(path)
	if err != nil || !fi.Mode().IsRegular() || !files.IsOwn(fi) {
		return nil, false
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxMark))
	lines := strings.Split(string(text), "\n")
	if err != nil || len(lines) < 2 || lines[0] != markHead {
		return nil, false
	}
	for _, line := range lines[1 : len(lines)-1] { // text after the last newline is torn
		if isOwnName(line) || line == labMark {
			names = append(names, line)
		}
	}
	return names, true
}

// maxSocketPath limits a socket's path, in bytes. The kernel's own limit is 104 to 108 with the closing NUL.
const maxSocketPath = 100

// hashedName begins the file names of zones whose own name is not plain. Plain names have no '~'.
const hashedName = "zone~"

// isPlainName reports whether a name is a valid file name on every system, and not one of the folder's own
// files.
func isPlainName(s string) bool {
	// Names that differ only in case are one file on some systems.
	return s != "" && s != lockName && s != markName && s[0] != '.' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-.") == ""
}

// isOwnName reports whether a zone's files may have this name.
func isOwnName(s string) bool {
	if hash, is := strings.CutPrefix(s, hashedName); is {
		b, err := hex.DecodeString(hash)
		return err == nil && len(b) == 8
	}
	return isPlainName(s)
}

// fileName returns the name of a zone's files, without extension. It is the zone's name, or a hash if that
// name is not plain or too long for a socket.
func (f *labFolder) fileName(zone string) (string, error) {
	if zone == "" {
		return "", fmt.Errorf("the zone has no name")
	}
	name := zone
	if !isPlainName(zone) || len(f.socketPath(name)) >= maxSocketPath {
		sum := sha256.Sum256([]byte(zone))
		name = hashedName + hex.EncodeToString(sum[:8])
	}
	if path := f.socketPath(name); len(path) >= maxSocketPath {
		return "", fmt.Errorf("socket path %s is %d bytes long, at most %d are possible; choose a shorter --sandbox-dir",
			words.CleanText(path), len(path), maxSocketPath-1)
	}
	return name, nil
}

// socketPath returns the path of the socket of a zone whose files have this name.
func (f *labFolder) socketPath(name string) string { return filepath.Join(f.path, name+".sock") }
