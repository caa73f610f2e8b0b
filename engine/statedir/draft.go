package statedir

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"rung/sources/files"
)

// maxDraft bounds a text read back, in bytes; draftsKept is the number of former texts kept.
const (
	maxDraft   = 4 << 20
	draftsKept = 30
)

var unsafeName = regexp.MustCompile(`[^a-zA-Z0-9.-]+`)

// NewDraft writes a text to edit into a new private file below the state folder, and returns its path. It
// removes all but a few old drafts.
func NewDraft(stateDir, name, text string) (path string, err error) {
	return NewDraftOnDisk(files.OS, stateDir, name, text)
}

func NewDraftOnDisk(disk files.FS, stateDir, name, text string) (path string, err error) {
	dir := filepath.Join(stateDir, "edit")
	if err := disk.MkdirAll(dir, files.PrivateFolder); err != nil {
		return "", fmt.Errorf("making the folder for texts being edited: %w", err)
	}
	pruneDrafts(dir)
	for n := 0; ; n++ {
		path = filepath.Join(dir, fmt.Sprintf("%.80s.%d.yaml", unsafeName.ReplaceAllString(name, "-"), rand.Uint32()))
		err := files.CreateFile(disk, path, []byte(text), files.PrivateFile)
		if errors.Is(err, fs.ErrExist) && n < 100 {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("writing the text to edit: %w", err)
		}
		return path, nil
	}
}

// WriteDraft replaces the text of a draft.
func WriteDraft(path, text string) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		_ = os.Remove(path) // the editor replaced the file by something else
	}
	if err := files.ReplaceFile(files.OS, path, []byte(text)); err != nil {
		return fmt.Errorf("writing the text to edit: %w", err)
	}
	return nil
}

// ReadDraft reads the text back. It also narrows the permissions, which an editor that replaced the file may
// have widened.
func ReadDraft(path string) (string, error) {
	text, err := files.ReadPrivate(files.OS, path, maxDraft)
	if err != nil {
		return "", fmt.Errorf("reading the text back: %w", err)
	}
	return string(text), nil
}

// DraftFiles returns the existing files of a draft: itself, and leftovers of a killed editor such as a swap
// file or an emergency copy.
func DraftFiles(path string) []string {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if strings.Contains(e.Name(), filepath.Base(path)) {
			out = append(out, filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
	return out
}

// pruneDrafts removes all but the newest drafts.
func pruneDrafts(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) < draftsKept {
		return
	}
	type old struct {
		name string
		at   int64
	}
	var files []old
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && filepath.Ext(e.Name()) == ".yaml" {
			files = append(files, old{e.Name(), info.ModTime().UnixNano()})
		}
	}
	slices.SortFunc(files, func(a, b old) int { return cmp.Compare(b.at, a.at) })
	for _, f := range files[min(len(files), draftsKept-1):] {
		_ = os.Remove(filepath.Join(dir, f.name))
	}
}

// DropDraft removes a draft no longer needed.
func DropDraft(path string) { _ = os.Remove(path) }
