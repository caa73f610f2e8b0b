package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// NoPager is the pager that is none.
const NoPager = "never"

// defaultPager shows colours, leaves the text on the screen, and ends by itself where it fits.
const defaultPager = "less -FRX"

// PagerNamed is the command line of the pager that a flag asks for, empty for none: the flag may
// name one, and else RUNG_PAGER does. A flag without a value takes PAGER, or less.
func PagerNamed(flag string, getenv func(string) string) string {
	pager := cmp.Or(flag, getenv("RUNG_PAGER"))
	if pager == AskedPager {
		pager = cmp.Or(getenv("RUNG_PAGER"), getenv("PAGER"), defaultPager)
	}
	if pager == NoPager {
		return ""
	}
	return pager
}

// AskedPager is the value of the flag without one.
const AskedPager = "auto"

// FitsScreen says whether a text fits on the terminal, which has a line for the prompt.
func FitsScreen(text string, out io.Writer) bool {
	o, ok := out.(*outlet)
	if !ok {
		return true
	}
	f, ok := o.w.(interface{ Fd() uintptr })
	if !ok {
		return true
	}
	width, height, err := term.GetSize(f.Fd())
	return err != nil || countLines(text, width) < height
}

// ShowPaged shows a text in a pager, which reads its keys from the terminal, until it ends. Where
// ended closes the pager is told to. The error says that the text was not shown.
func ShowPaged(pager, text string, out, errw io.Writer, ended <-chan struct{}) error {
	args := strings.Fields(pager)
	if len(args) == 0 {
		return errors.New("no pager")
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), unwrapOutlet(out), unwrapOutlet(errw)
	if err := cmd.Start(); err != nil {
		return err
	}
	result := make(chan error, 1)
	go func() { result <- cmd.Wait() }()
	var err error
	select {
	case err = <-result:
	case <-ended:
		if cmd.Process.Signal(syscall.SIGTERM) != nil {
			_ = cmd.Process.Kill()
		}
		<-result
		return nil
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("%s: %s", args[0], exit.ProcessState)
	}
	return err
}

// countLines is how many lines a text has on a terminal of a width, where longer ones go on.
func countLines(text string, width int) (n int) {
	for line := range strings.Lines(text) {
		n += max(1, (ansi.StringWidth(line)+width-1)/max(width, 1))
	}
	return n
}

// unwrapOutlet is the file behind an outlet, so that a child has it itself.
func unwrapOutlet(w io.Writer) io.Writer {
	if o, ok := w.(*outlet); ok {
		return o.w
	}
	return w
}
