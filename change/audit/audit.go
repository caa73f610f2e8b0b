package audit

import (
	"path/filepath"
	"sync"
	"time"

	"rung/change"
	"rung/model"
	"rung/sources/safefile"
)

// Record is one line of the audit: a change that was made, that failed, or
// that was asked for and refused.
type Record struct {
	Time time.Time `json:"time"`
	// User is the operating system's name of who runs Rung; By the part of Rung
	// that asked: "console", "cli", "plan".
	User string `json:"user"`
	By   string `json:"by,omitempty"`
	// Mode and Context say what was changed: "cluster" and the kubeconfig
	// context, "files" and the path, "demo".
	Mode    string `json:"mode"`
	Context string `json:"context,omitempty"`
	Server  string `json:"server,omitempty"` // of the API, on a cluster
	// Sandbox says that the change is one of the sandbox alone, and ends with it.
	Sandbox bool      `json:"sandbox,omitempty"`
	Op      change.Op `json:"op"`
	Title   string    `json:"title"`
	Objects []Object  `json:"objects,omitempty"`
	// Guards are the guard rails that were hit, by code.
	Guards []string `json:"guards,omitempty"`
	// Commands are the equivalent kubectl command lines.
	Commands []string `json:"commands,omitempty"`
	// Result is "ok", "failed" or "refused"; Error says why. "unknown" is a change
	// that was begun, and Rung ended or the disk failed before its outcome could be
	// written down.
	Result string `json:"result"`
	Error  string `json:"error,omitempty"`
	// Milliseconds is how long the change took.
	Milliseconds int64 `json:"ms"`
	// Undo is the history entry that takes the change back.
	Undo uint64 `json:"undo,omitempty"`
}

// Object names one object of a change.
type Object struct {
	Kind      model.Kind `json:"kind"`
	Namespace string     `json:"namespace,omitempty"`
	Name      string     `json:"name"`
	UID       string     `json:"uid,omitempty"`
	// Change is "create", "update" or "delete".
	Change string `json:"change"`
}

// Outcome says how it went: why is nil where it went well.
func (r *Record) Outcome(result string, why error, took time.Duration) {
	r.Result, r.Milliseconds = result, took.Milliseconds()
	if why != nil {
		r.Error = why.Error()
	}
}

// The results of an audited change.
const (
	OK      = "ok"
	Failed  = "failed"
	Refused = "refused"
	Unknown = "unknown"
)

// Log appends records to a file, one JSON object per line. Nothing is ever
// taken out of it. The line of a change is there before the change is made. It is
// safe for concurrent use and by several processes.
type Log struct {
	Path string
	disk safefile.FS
	mu   sync.Mutex
}

// New appends to audit.jsonl in the folder. The file is made when the
// first record comes. Without a folder nothing is kept.
func New(disk safefile.FS, dir string) *Log {
	a := &Log{disk: safefile.Or(disk)}
	if dir != "" {
		a.Path = filepath.Join(dir, "audit.jsonl")
	}
	return a
}

// ObjectsOf lists what a change touches.
func ObjectsOf(changes []change.ObjectChange) []Object {
	out := make([]Object, 0, len(changes))
	for _, c := range changes {
		o := Object{Kind: c.Key.Kind, Namespace: c.Key.Namespace, Name: c.Key.Name, Change: c.Verb()}
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
