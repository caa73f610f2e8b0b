package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"rung/model/clean"
)

// maxSocketPath is the longest path of a socket, in bytes: the kernel's own
// limit is 104 to 108 with the closing NUL.
const maxSocketPath = 100

// hashedName begins the files of a zone whose name cannot be theirs. Plain names
// have no '~'.
const hashedName = "zone~"

func hashed(zone string) string {
	sum := sha256.Sum256([]byte(zone))
	return hashedName + hex.EncodeToString(sum[:8])
}

// plainName says whether a name is one file on every system, and none of the
// folder's own.
func plainName(s string) bool {
	if s == "" || s == lockName || s == markName || strings.HasPrefix(s, ".") {
		return false
	}
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.' {
			return false // two names that differ in case are one file on some systems
		}
	}
	return true
}

// ownName says whether files of a zone may be called so.
func ownName(s string) bool {
	if hash, is := strings.CutPrefix(s, hashedName); is {
		b, err := hex.DecodeString(hash)
		return err == nil && len(b) == 8
	}
	return plainName(s)
}

// zoneFiles are all files that a zone's server makes: socket, control socket,
// database, its lock, and what a compaction writes.
func zoneFiles(name string) []string {
	return []string{name + ".sock", name + ".ctl", name + ".db", "." + name + ".db.~lock~", name + ".db.tmp",
		"." + name + ".db.tmp.~lock~"}
}

// file is the name of a zone's files in the folder, without their ending: the zone's name,
// or a hash of it where that is not a plain one or makes the path of the socket too long.
func (f *folder) file(zone string) (string, error) {
	if zone == "" {
		return "", fmt.Errorf("a zone without a name has no files")
	}
	name := zone
	if !plainName(zone) || len(f.socket(name)) >= maxSocketPath {
		name = hashed(zone)
	}
	if path := f.socket(name); len(path) >= maxSocketPath {
		return "", fmt.Errorf("socket path %s is %d bytes long, at most %d are possible; choose a shorter --sandbox-dir",
			clean.Text(path), len(path), maxSocketPath-1)
	}
	return name, nil
}

// socket is the path of the socket of a zone whose files are called so.
func (f *folder) socket(name string) string { return filepath.Join(f.path, name+".sock") }
