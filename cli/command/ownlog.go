package command

import (
	"io"
	"log"
	"log/slog"
	"os"

	"k8s.io/klog/v2"

	"rung/engine/statedir"
	"rung/model/words"
)

// ownLogSize is the size of Rung's own log above which the next start renames it to rung.log.old.
const ownLogSize = 5 << 20

// OpenOwnLog sends everything that libraries log (log, slog, klog) to a file, since a line on stderr would
// garble the screen. That includes the output of exec plugins, which get the os.Stderr current when the
// kubeconfig is opened, so call it before.
func OpenOwnLog(dir string) (io.Closer, error) {
	f, err := statedir.OpenLog(dir, "rung.log", ownLogSize)
	if err != nil {
		return nil, err
	}
	handler := slog.NewTextHandler(f, &slog.HandlerOptions{ReplaceAttr: WithoutLogins})
	slog.SetDefault(slog.New(handler)) // also redirects the standard logger
	log.SetFlags(0)
	klog.SetSlogLogger(slog.New(handler))
	own := &ownLog{File: f, stderr: os.Stderr}
	os.Stderr = f
	return own, nil
}

// WithoutLogins removes user and password from URLs in a log record.
func WithoutLogins(_ []string, a slog.Attr) slog.Attr {
	switch v := a.Value.Any().(type) {
	case string:
		return slog.String(a.Key, words.WithoutLogins(v))
	case error:
		return slog.String(a.Key, words.WithoutLogins(v.Error()))
	}
	return a
}

// ownLog is Rung's own log while a screen is shown.
type ownLog struct {
	*os.File
	stderr *os.File // stderr of the process
}

// Close restores stderr.
func (o *ownLog) Close() error {
	os.Stderr = o.stderr
	return o.File.Close()
}

// QuietLibraries silences the logs of libraries for the whole process: stderr has one line for every error of
// a command and nothing else.
func QuietLibraries() {
	handler := slog.DiscardHandler
	slog.SetDefault(slog.New(handler))
	log.SetOutput(io.Discard)
	klog.SetSlogLogger(slog.New(handler))
}
