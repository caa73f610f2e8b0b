package engine

import (
	"encoding/json"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"rung/model"
)

// AuditRecord is one line of the audit: a change that was made, that failed, or
// that the gate refused to make although somebody had said yes.
type AuditRecord struct {
	Time time.Time `json:"time"`
	// User is the operating system's name of who runs Rung; By the part of Rung
	// that asked: "console", "cli", "plan".
	User string `json:"user"`
	By   string `json:"by,omitempty"`
	// Mode and Context say what was changed: "cluster" and the kubeconfig
	// context, "files" and the path, "demo".
	Mode    string        `json:"mode"`
	Context string        `json:"context,omitempty"`
	Server  string        `json:"server,omitempty"` // of the API, on a cluster
	Op      Op            `json:"op"`
	Title   string        `json:"title"`
	Objects []AuditObject `json:"objects,omitempty"`
	// Guards are the guard rails that were hit, by code.
	Guards []string `json:"guards,omitempty"`
	// Commands are the equivalent kubectl command lines.
	Commands []string `json:"commands,omitempty"`
	// Result is "ok", "failed" or "refused"; Error says why.
	Result string `json:"result"`
	Error  string `json:"error,omitempty"`
	// Milliseconds is how long the change took.
	Milliseconds int64 `json:"ms"`
	// Undo is the history entry that takes the change back.
	Undo uint64 `json:"undo,omitempty"`
}

// AuditObject names one object of a change.
type AuditObject struct {
	Kind      model.Kind `json:"kind"`
	Namespace string     `json:"namespace,omitempty"`
	Name      string     `json:"name"`
	UID       string     `json:"uid,omitempty"`
	// Change is "create", "update" or "delete".
	Change string `json:"change"`
}

// The results of an audited change.
const (
	auditOK      = "ok"
	auditFailed  = "failed"
	auditRefused = "refused"
)

// Audit appends records to a file, one JSON object per line. Nothing is ever
// taken out of it. It is safe for concurrent use and by several processes: a
// record is one write.
type Audit struct {
	path string
	mu   sync.Mutex
}

// NewAudit appends to audit.jsonl in the folder. The file is made when the
// first record comes. Without a folder nothing is kept.
func NewAudit(dir string) *Audit {
	if dir == "" {
		return &Audit{}
	}
	return &Audit{path: filepath.Join(dir, "audit.jsonl")}
}

// Path is the file's path, empty when nothing is kept.
func (a *Audit) Path() string { return a.path }

// Ready says whether records can be written: nothing is changed that could not
// be audited.
func (a *Audit) Ready() error {
	if a.path == "" {
		return nil
	}
	f, err := openPrivate(a.path)
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return f.Close()
}

// Write appends one record.
func (a *Audit) Write(r AuditRecord) error {
	if a.path == "" {
		return nil
	}
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("audit of %s: %w", r.Op, err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	f, err := openPrivate(a.path)
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("audit: writing %s: %w", a.path, err)
	}
	return nil
}

// auditObjects lists what a change touches.
func auditObjects(changes []ObjectChange) []AuditObject {
	out := make([]AuditObject, 0, len(changes))
	for _, c := range changes {
		o := AuditObject{Kind: c.Key.Kind, Namespace: c.Key.Namespace, Name: c.Key.Name, Change: c.verb()}
		for _, p := range []*model.Policy{c.Old, c.New} {
			if p != nil && p.UID != "" {
				o.UID = p.UID // of a created object once it is there
				break
			}
		}
		out = append(out, o)
	}
	return out
}

// CurrentUser names who runs this process: the login name, else the number.
func CurrentUser() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	if name := strings.TrimSpace(os.Getenv("USER")); name != "" {
		return name
	}
	return strconv.Itoa(os.Getuid())
}
