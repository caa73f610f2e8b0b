package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"rung/cli/command"
	"rung/engine"
	"rung/model/words"
)

// firstScreen prints the console's answer without a cluster or a file: the places searched, and what to do. At
// a terminal it offers to open the demo with one key; demo reports whether it was pressed.
func firstScreen(ctx context.Context, a *command.App, none *engine.NoClusterError, screen bool) (demo bool, err error) {
	fmt.Fprint(a.Err, firstText(none, a.Call))
	if !screen || !a.CanAsk {
		return false, command.ErrSaid
	}
	fmt.Fprint(a.Err, "\nd opens the demo · q quits ")
	demo, err = waitForKey(ctx, a)
	fmt.Fprintln(a.Err)
	if err == nil && !demo {
		err = command.ErrSaid
	}
	return demo, err
}

// firstText lists the places searched, in order, and what can be looked at; call is how to call Rung.
func firstText(none *engine.NoClusterError, call string) string {
	places := [][2]string{{"-f PATH", "not given"}}
	if len(none.Looked) > 0 && !strings.HasPrefix(none.Looked[0].Name, "--kubeconfig") {
		places = append(places, [2]string{"--kubeconfig FILE", "not given"})
	}
	for _, p := range none.Looked {
		places = append(places, [2]string{words.CleanText(p.Name), p.Why})
	}
	return "No cluster and no files: nothing to show yet.\n\nLooked for, in this order:\n" + pairLines(places) +
		"\nTo look at something:\n" + pairLines([][2]string{
		{call + " demo", "a built-in cluster; nothing of yours is touched"},
		{call + " -f FOLDER", "manifests, a must-gather, or a kubectl dump"},
		{call + " --kubeconfig FILE", "a cluster, read-only"},
	})
}

// leftWidth is the most width of the left of two columns.
const leftWidth = 40

// pairLines formats lines of two columns, indented.
func pairLines(lines [][2]string) string {
	width := 0
	for _, l := range lines {
		if w := ansi.StringWidth(l[0]); w <= leftWidth {
			width = max(width, w)
		}
	}
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "  %s%s  %s\n", l[0], strings.Repeat(" ", max(0, width-ansi.StringWidth(l[0]))), l[1])
	}
	return b.String()
}

// Keys while the terminal is raw.
const ctrlC, ctrlD = 3, 4

// waitForKey waits for d or q and ignores other keys. The end of the input counts as q.
func waitForKey(ctx context.Context, a *command.App) (d bool, err error) {
	if f, ok := a.Keyboard.(*os.File); ok {
		if was, err := term.MakeRaw(f.Fd()); err == nil {
			defer func() { _ = term.Restore(f.Fd(), was) }()
		}
	}
	for key := make([]byte, 1); ; {
		_, err := io.ReadFull(a.In, key)
		switch {
		case ctx.Err() != nil:
			return false, fmt.Errorf("waiting for a key: %w", ctx.Err())
		case err != nil:
			return false, nil
		}
		switch key[0] {
		case 'd':
			return true, nil
		case 'q', ctrlC, ctrlD:
			return false, nil
		}
	}
}
