package change

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"rung/change/gate"
	"rung/cli/command"
	"rung/engine"
	"rung/model"
)

// confirm gets the answer to a preview, from the flags or by asking. The error
// says that it was no, or that a guard rail wants more than was given.
func confirm(a *command.App, c *changeFlags, p *gate.Preview) (gate.Confirm, error) {
	confirm := gate.Confirm{Yes: c.yes, Name: c.name, By: "cli", Within: c.within}
	if p.ConfirmName != "" && confirm.Name != p.ConfirmName {
		if c.yes || !a.CanAsk {
			return confirm, fmt.Errorf("stopped by a guard rail: %s; if you mean it: --confirm-name %s", p.Guards[0].Message,
				model.ShellJoin(p.ConfirmName))
		}
		fmt.Fprintf(a.Err, "Type %s to confirm: ", p.ConfirmName)
		line, err := readLine(a.In)
		if err != nil {
			return confirm, err
		}
		confirm.Name = line
		if confirm.Yes = confirm.Name == p.ConfirmName; !confirm.Yes && line != "" {
			return confirm, fmt.Errorf("not confirmed: a guard rail wants the name %s: %w", p.ConfirmName, command.ErrRefused)
		}
	} else if !confirm.Yes {
		fmt.Fprint(a.Err, "Apply? [y/N] ")
		line, err := readLine(a.In)
		if err != nil {
			return confirm, err
		}
		switch strings.ToLower(line) {
		case "y", "yes":
			confirm.Yes = true
		}
	}
	if !confirm.Yes {
		return confirm, errSaidNo
	}
	return confirm, nil
}

// errSaidNo is the answer No.
var errSaidNo = fmt.Errorf("not confirmed: %w", command.ErrRefused)

// refused has a change audited that was asked for, and not made for a reason other than the
// answer No.
func refused(ctx context.Context, a *command.App, e *engine.Engine, p *gate.Preview, why error) error {
	if why == nil || ctx.Err() != nil || errors.Is(why, errSaidNo) {
		return why
	}
	return errors.Join(why, e.Refused(p, "cli", why))
}

// readLine reads one line and not a byte more: what follows answers the next
// question. An input that ends, or cannot be read, is an empty answer; the error
// says that the command was told to end before there was one.
func readLine(r io.Reader) (string, error) {
	var line []byte
	for one := make([]byte, 1); len(line) < 4096; {
		n, err := r.Read(one)
		if n > 0 && one[0] != '\n' {
			line = append(line, one[0])
		}
		if errors.Is(err, context.Canceled) {
			return "", fmt.Errorf("waiting for an answer: %w", err)
		}
		if err != nil || n > 0 && one[0] == '\n' {
			break
		}
	}
	return strings.TrimSpace(string(line)), nil
}
