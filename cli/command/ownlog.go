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

// ownLogSize is how large Rung's own log may grow before the next start puts it
// aside as rung.log.old.
const ownLogSize = 5 << 20

// OpenOwnLog sends everything that libraries log (log, slog, klog) to a file:
// a line on stderr would tear the screen. So would what an exec plugin of the
// kubeconfig says; it gets the os.Stderr that there is when the kubeconfig is
// opened, so this comes before.
func OpenOwnLog(dir string) (io.Closer, error) {
	f, err := statedir.OpenLog(dir, "rung.log", ownLogSize)
	if err != nil {
		return nil, err
	}
	handler := slog.NewTextHandler(f, &slog.HandlerOptions{ReplaceAttr: WithoutLogins})
	slog.SetDefault(slog.New(handler)) // takes the standard logger along
	log.SetFlags(0)
	klog.SetSlogLogger(slog.New(handler))
	own := &ownLog{File: f, stderr: os.Stderr}
	os.Stderr = f
	return own, nil
}

// WithoutLogins takes user and password out of the URLs that a record of the log has.
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
	stderr *os.File // the process's
}

// Close gives stderr back.
func (o *ownLog) Close() error {
	os.Stderr = o.stderr
	return o.File.Close()
}

// QuietLibraries keeps what libraries log off stderr, which has one line for
// every error of a command and nothing else. It is for the whole process.
func QuietLibraries() {
	handler := slog.DiscardHandler
	slog.SetDefault(slog.New(handler))
	log.SetOutput(io.Discard)
	klog.SetSlogLogger(slog.New(handler))
}
