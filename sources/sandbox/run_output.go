package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"rung/model/words"
)

// RunOutput runs a command, made with ctx, to its end and returns its output. More than most bytes are an
// error. The error of a failed command includes its output.
func RunOutput(ctx context.Context, g Guard, cmd *exec.Cmd, most int) (string, error) {
	out, said := &boundedBuffer{maxBytes: most}, &boundedBuffer{maxBytes: 4 << 10}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = out, said, time.Second
	wait, err := g.Start(cmd)
	if err != nil {
		return "", err
	}
	err = wait()
	switch {
	case out.isOver:
		return "", fmt.Errorf("it prints more than %d bytes", most)
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", errors.Join(err, errors.New(words.CleanText(strings.TrimSpace(out.b.String()+"\n"+said.b.String()))))
	}
	return out.b.String(), nil
}

// boundedBuffer stores written bytes up to a limit.
type boundedBuffer struct {
	b        bytes.Buffer
	maxBytes int
	isOver   bool
}

// Write accepts everything, so that a program does not end because its output is dropped.
func (w *boundedBuffer) Write(p []byte) (int, error) {
	keep := min(len(p), w.maxBytes-w.b.Len())
	w.isOver = w.isOver || keep < len(p)
	w.b.Write(p[:keep])
	return len(p), nil
}
