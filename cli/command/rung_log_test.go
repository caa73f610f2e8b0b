package command

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// No record of Rung's own log has the login of a URL, whichever library wrote it.
func TestOwnLogHasNoLogins(t *testing.T) {
	dir := t.TempDir()
	before := slog.Default()
	log, err := OpenOwnLog(dir)
	if err != nil {
		t.Fatal(err)
	}
	slog.Warn("asking http://ada:hush@api", "url", "http://ada:hush@api", "err", errors.New("no way to http://ada:hush@api"))
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	QuietLibraries()
	slog.SetDefault(before)
	text, err := os.ReadFile(filepath.Join(dir, "rung.log"))
	if err != nil || strings.Count(string(text), "http://api") != 3 || strings.Contains(string(text), "hush") {
		t.Errorf("%s, %v", text, err)
	}
}
