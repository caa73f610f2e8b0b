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

	"rung/model"
	"rung/model/words"
	"rung/ui/widget"
)

// waitFlags are the flags that make graphical editors wait until the text is closed.
var waitFlags = map[string]string{"code": "--wait", "code-insiders": "--wait", "codium": "--wait", "subl": "--wait", "zed": "--wait",
	"atom": "--wait", "mate": "-w", "gvim": "-f", "mvim": "-f"}

// isDeleted reports whether the editor deleted the file.
func isDeleted(err error) bool { return errors.Is(err, os.ErrNotExist) }

// notStarted reports whether the program could not be started.
func notStarted(err error) bool {
	return errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission)
}

// findFile returns an error if a file does not exist or is out of reach.
func findFile(path string) error {
	_, err := os.Stat(path)
	return err
}

// editorCommand returns the command that opens the user's editor on a file at a line (from 1, or 0 for no line).
func editorCommand(path string, line int) *exec.Cmd {
	words := strings.Fields(chosenEditor())
	if chosen := chosenEditor(); strings.ContainsAny(chosen, `"'\`) && runtime.GOOS != "windows" {
		// Quoted words: the shell splits them, as for kubectl and git.
		return exec.Command("sh", "-c", chosen+` "$@"`, "editor", path)
	}
	name, args := words[0], words[1:]
	base := strings.TrimSuffix(filepath.Base(name), ".exe")
	if flag := waitFlags[base]; flag != "" && !slices.Contains(args, flag) && !slices.Contains(args, "-w") {
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

// chosenEditor returns the user's editor: $VISUAL, $EDITOR, else the first usual one installed.
func chosenEditor() string {
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

// upgradedText returns a policy of an older form converted to today's form, empty if it is not older or has no
// equivalent.
func upgradedText(p *model.Policy) string {
	if p.Older == nil {
		return ""
	}
	// Its first lines may be notes of an earlier edit.
	return withoutHead(p.Older.Upgrade)
}

// olderNotes lists the differences of today's form, or why it has no equivalent.
func olderNotes(p *model.Policy) []string {
	switch {
	case p.Older == nil:
		return nil
	case p.Older.Upgrade != "":
		return append([]string{"It is written in an older form, which today's server rejects.",
			"This is the same in today's form. Save it unchanged to apply it:"}, bulletLines(p.Older.Changes)...)
	}
	return append([]string{"It is written in an older form, which today's server rejects,",
		"and today's form has no equivalent:"}, bulletLines(p.Older.Reasons)...)
}

func bulletLines(of []string) (out []string) {
	for _, s := range of {
		out = append(out, "- "+strings.TrimSpace(s))
	}
	return out
}

// note starts a line of Rung's that is not part of the text.
const note = "# rung:"

// headWidth is the width of notes: 80 cells with their prefix.
const headWidth = 72

// withHead writes notes as comments above a text.
func withHead(notes []string, text string) string {
	var b strings.Builder
	for _, n := range notes {
		for l := range strings.Lines(words.CleanBlock(n)) {
			for _, part := range widget.FlowText(strings.TrimSuffix(l, "\n"), headWidth) {
				b.WriteString(strings.TrimRight(note+" "+part, " "))
				b.WriteByte('\n')
			}
		}
	}
	return b.String() + text
}

// withoutHead removes the notes above a text.
func withoutHead(text string) string {
	for strings.HasPrefix(text, note) {
		_, rest, found := strings.Cut(text, "\n")
		if !found {
			return ""
		}
		text = rest
	}
	return text
}
