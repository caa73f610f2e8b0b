package history

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"time"
	"unicode/utf8"

	"rung/change"
	"rung/model"
	"rung/sources/files"
)

// Record is one line of the audit: a change that was made, that failed, or
// that was asked for and refused.
type AuditRecord struct {
	Time time.Time `json:"time"`
	// User is the operating system's name of who runs Rung; By the part of Rung
	// that asked: "console", "cli", "plan".
	User string `json:"user"`
	By   string `json:"by,omitempty"`
	// Mode says what was changed: "cluster", "files", or "sandbox", with which the change
	// ends. Context is the kubeconfig context, the path or "demo".
	Mode    string `json:"mode"`
	Context string `json:"context,omitempty"`
	Server  string `json:"server,omitempty"` // of the API, on a cluster
	// Identity is the history that the change belongs to: contexts and paths may share a name.
	Identity string        `json:"identity,omitempty"`
	Sandbox  bool          `json:"sandbox,omitempty"` // Mode is "sandbox"
	Op       change.Op     `json:"op"`
	Title    string        `json:"title"`
	Objects  []AuditObject `json:"objects,omitempty"`
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
type AuditObject struct {
	Kind      model.Kind `json:"kind"`
	Namespace string     `json:"namespace,omitempty"`
	Name      string     `json:"name"`
	UID       string     `json:"uid,omitempty"`
	// Change is "create", "update" or "delete".
	Change string `json:"change"`
}

// Outcome says how it went: why is nil where it went well.
func (r *AuditRecord) Outcome(result string, why error, took time.Duration) {
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

// AuditLog appends records to a file, one JSON object per line. Nothing is ever
// taken out of it. The line of a change is there before the change is made. It is
// safe for concurrent use and by several processes.
type AuditLog struct {
	Path string
	mu   sync.Mutex
	file Journal
	past pastRecords
}

// NewAudit appends to audit.jsonl in the folder. The file is made when the
// first record comes. Without a folder nothing is kept.
func NewAudit(disk files.FS, dir string) *AuditLog {
	path := ""
	if dir != "" {
		path = filepath.Join(dir, "audit.jsonl")
	}
	file := Journal{Path: path, disk: files.OrSystem(disk), locks: true}
	return &AuditLog{Path: path, file: file, past: pastRecords{file: file}}
}

// AuditObjectsOf lists what a change touches.
func AuditObjectsOf(changes []change.ObjectChange) []AuditObject {
	out := make([]AuditObject, 0, len(changes))
	for _, c := range changes {
		o := AuditObject{Kind: c.Key.Kind, Namespace: c.Key.Namespace, Name: c.Key.Name, Change: c.Verb()}
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

// auditRoom is the number of bytes that a reserved line keeps free for the outcome
// of the change: longer errors are cut.
const auditRoom = 4 << 10

// reservedLine is the place of a line in the audit for a change that is being made.
// The line is there already and says that its outcome is unknown, which is what
// stays when Rung is killed.
type reservedLine struct {
	room   *JournalRoom
	number uint64 // among the records of this process
}

// writing says of an error that it kept the audit from being written.
func (a *AuditLog) writing(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("audit: writing %s: %w", a.Path, err)
}

// Write adds one record.
func (a *AuditLog) Write(r AuditRecord) error {
	a.past.addOwn(r)
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.writing(AppendRecords(&a.file, r))
}

// Reserve writes the line of a change that is about to be made, with room for its
// outcome: once it returns without an error, a full disk cannot keep Finish from
// writing that.
func (a *AuditLog) Reserve(r AuditRecord) (*reservedLine, error) {
	r.Result, r.Error = Unknown, ""
	line, err := json.Marshal(r)
	if err != nil {
		return nil, a.writing(err)
	}
	a.mu.Lock()
	room, err := a.file.ReserveRoom(line, auditRoom)
	a.mu.Unlock()
	if err != nil {
		return nil, a.writing(err)
	}
	return &reservedLine{room: room, number: a.past.addOwn(r)}, nil
}

// Finish puts the outcome in the place of what was reserved. The record is that
// of Reserve but for what follows Commands, and the UIDs of objects that were made.
func (a *AuditLog) Finish(v *reservedLine, r AuditRecord) error {
	a.past.setOwn(v.number, r)
	line, err := boundedLine(r, len(v.room.line)-1)
	if err != nil {
		return a.writing(err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	line = append(line, '\n')
	stands, err := a.file.WriteInRoom(v.room, line)
	if err == nil && !stands {
		// Somebody put the audit away meanwhile, or cut it: a line of its own.
		_, err = a.file.appendText(line)
	}
	return a.writing(err)
}

// boundedLine is a record as a line of so many bytes at most; what is too long is cut
// off its error.
func boundedLine(r AuditRecord, most int) ([]byte, error) {
	const cut = " …"
	text := r.Error
	for {
		line, err := json.Marshal(r)
		over := len(line) - most
		if err != nil || over <= 0 || text == "" {
			return line, err
		}
		// A byte of the text may be several of the line.
		n := max(0, len(text)-max(over*len(text)/len(line), 2*len(cut)))
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		text = text[:n]
		r.Error = text + cut
	}
}
