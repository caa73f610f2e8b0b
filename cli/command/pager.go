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
)

// NoPager is the flag value for no pager.
const NoPager = "never"

// defaultPager shows colours, leaves the text on the screen, and exits if the text fits.
const defaultPager = "less -FRX"

// PagerNamed returns the command line of the pager, or "": the flag's value, else RUNG_PAGER. A flag without a
// value also takes PAGER, or less.
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

// AskedPager is the value of a flag given without one.
const AskedPager = "auto"

// FitsScreen reports whether a text fits on the terminal, with a line for the prompt.
func FitsScreen(text string, out io.Writer) bool {
	width, height, ok := terminalSize(out)
	return !ok || countLines(text, width) < height
}

// ShowPaged shows a text in a pager, which reads keys from the terminal, and waits until it ends. It stops the
// pager if ended closes. An error means that the text was not shown.
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

// countLines counts the lines of a text on a terminal of a width, where longer lines wrap.
func countLines(text string, width int) (n int) {
	for line := range strings.Lines(text) {
		n += max(1, (ansi.StringWidth(line)+width-1)/max(width, 1))
	}
	return n
}

// unwrapOutlet returns the file behind an outlet, to pass to a child process.
func unwrapOutlet(w io.Writer) io.Writer {
	if o, ok := w.(*outlet); ok {
		return o.w
	}
	return w
}
