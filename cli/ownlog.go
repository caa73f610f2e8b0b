package cli

import (
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"path/filepath"

	"k8s.io/klog/v2"
)

// ownLogSize is how large Rung's own log may grow before the next start puts it
// aside as rung.log.old.
const ownLogSize = 5 << 20

// openOwnLog sends everything that libraries log (log, slog, klog) to a file:
// a line on stderr would tear the screen. So would what an exec plugin of the
// kubeconfig says; it gets the os.Stderr that there is when the kubeconfig is
// opened, so this comes before.
func openOwnLog(dir string) (io.Closer, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the state folder: %w", err)
	}
	path := filepath.Join(dir, "rung.log")
	if info, err := os.Stat(path); err == nil && info.Size() > ownLogSize {
		if err := os.Rename(path, path+".old"); err != nil {
			return nil, fmt.Errorf("put Rung's old log aside: %w", err)
		}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open Rung's own log: %w", err)
	}
	handler := slog.NewTextHandler(f, nil)
	slog.SetDefault(slog.New(handler)) // takes the standard logger along
	log.SetFlags(0)
	klog.SetSlogLogger(slog.New(handler))
	own := &ownLog{File: f, stderr: os.Stderr}
	os.Stderr = f
	return own, nil
}

// ownLog is Rung's own log while a screen is shown.
type ownLog struct {
	*os.File
	stderr *os.File // the process's
}

// Close gives stderr back.
func (o *ownLog) Close() error {
	os.Stderr = o.stderr
	return o.File.Close()
}

// quietLibraries keeps what libraries log off stderr, which has one line for
// every error of a command and nothing else. It is for the whole process.
func quietLibraries() {
	handler := slog.DiscardHandler
	slog.SetDefault(slog.New(handler))
	log.SetOutput(io.Discard)
	klog.SetSlogLogger(slog.New(handler))
}
