package edit

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/charmbracelet/x/editor"
)

// waits are the flags with which editors with windows of their own wait until
// the text is closed.
var waits = map[string]string{"code": "--wait", "code-insiders": "--wait", "codium": "--wait", "subl": "--wait", "zed": "--wait",
	"atom": "--wait", "mate": "-w", "gvim": "-f", "mvim": "-f"}

// notStarted says whether the program could not even be started.
func notStarted(err error) bool {
	return errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission)
}

// command runs the user's editor on a file at a line (from 1, 0 for no line).
func command(path string, line int) *exec.Cmd {
	words := strings.Fields(chosen())
	if chosen := chosen(); strings.ContainsAny(chosen, `"'\`) && runtime.GOOS != "windows" {
		// Quoted words: the shell takes them apart, as it does for kubectl and git.
		return exec.Command("sh", "-c", chosen+` "$@"`, "editor", path)
	}
	name, args := words[0], words[1:]
	base := strings.TrimSuffix(filepath.Base(name), ".exe")
	if flag := waits[base]; flag != "" && !slices.Contains(args, flag) && !slices.Contains(args, "-w") {
		args = append(args, flag)
	}
	inArgs := false
	if line > 1 {
		var at []string
		at, inArgs = editor.LineNumber(line)(base, path)
		args = append(args, at...)
	}
	if !inArgs {
		args = append(args, path)
	}
	return exec.Command(name, args...)
}

// chosen is the editor as the user named it: $VISUAL, $EDITOR, else the first
// usual one there is.
func chosen() string {
	for _, v := range []string{"VISUAL", "EDITOR"} {
		if s := strings.TrimSpace(os.Getenv(v)); s != "" {
			return s
		}
	}
	if runtime.GOOS == "windows" {
		return "notepad"
	}
	for _, name := range []string{"nano", "vim", "vi"} {
		if _, err := exec.LookPath(name); err == nil {
			return name
		}
	}
	return "vi"
}

// deleted says whether a text could not be read back since it is there no more.
func deleted(err error) bool { return errors.Is(err, os.ErrNotExist) }
