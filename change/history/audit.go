package history

import (
	"cmp"
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

// AuditRecord is one line of the audit: a change: made, failed or refused.
type AuditRecord struct {
	Time time.Time `json:"time"`
	// User is the operating system's user; By the part of Rung that asked: "console", "cli", "plan".
	User string `json:"user"`
	By   string `json:"by,omitempty"`
	// Mode names the changed place: "cluster", "files", or "sandbox" (lost on exit). Context is the kubeconfig
	// context, the path or "demo".
	Mode    string `json:"mode"`
	Context string `json:"context,omitempty"`
	Server  string `json:"server,omitempty"` // of the API server, on a cluster
	// History that the change belongs to; contexts and paths may share a name.
	Identity string        `json:"identity,omitempty"`
	Sandbox  bool          `json:"sandbox,omitempty"` // Mode is "sandbox"
	Op       change.Op     `json:"op"`
	Title    string        `json:"title"`
	Objects  []AuditObject `json:"objects,omitempty"`
	// Codes of the guard rails that were hit.
	Guards []string `json:"guards,omitempty"`
	// Equivalent kubectl command lines.
	Commands []string `json:"commands,omitempty"`
	// "ok", "failed" or "refused"; Error says why. "unknown" means that the change was begun, but Rung ended
	// or the disk failed before the outcome was written.
	Result string `json:"result"`
	Error  string `json:"error,omitempty"`
	// Duration of the change.
	Milliseconds int64 `json:"ms"`
	// History entry that undoes the change.
	Undo uint64 `json:"undo,omitempty"`
}

// AuditObject names an object of a change.
type AuditObject struct {
	Kind      model.Kind `json:"kind"`
	Namespace string     `json:"namespace,omitempty"`
	Name      string     `json:"name"`
	UID       string     `json:"uid,omitempty"`
	// "create", "update" or "delete".
	Change string `json:"change"`
}

// Outcome sets the result; why is nil if the change was made.
func (r *AuditRecord) Outcome(result string, why error, took time.Duration) {
	r.Result, r.Milliseconds = result, took.Milliseconds()
	if why != nil {
		r.Error = why.Error()
	}
}

// Results of an audited change.
const (
	OK      = "ok"
	Failed  = "failed"
	Refused = "refused"
	Unknown = "unknown"
)

// AuditLog appends records to a file, one JSON object per line, and never removes any. The line of a change is
// written before the change. It is safe for concurrent use, also by several processes.
type AuditLog struct {
	Path string
	mu   sync.Mutex
	file Journal
	past pastRecords
}

// NewAudit returns an audit that appends to audit.jsonl in the folder. The file is created with the first
// record. Without a folder nothing is kept.
func NewAudit(disk files.FS, dir string) *AuditLog {
	path := ""
	if dir != "" {
		path = filepath.Join(dir, "audit.jsonl")
	}
	file := Journal{Path: path, disk: files.OrSystem(disk), locks: true}
	return &AuditLog{Path: path, file: file, past: pastRecords{file: file}}
}

// NewAuditObjects lists the objects of a change.
func NewAuditObjects(changes []change.ObjectChange) []AuditObject {
	out := make([]AuditObject, 0, len(changes))
	for _, c := range changes {
		o := AuditObject{Kind: c.Key.Kind, Namespace: c.Key.Namespace, Name: c.Key.Name, Change: c.Verb()}
		for _, p := range []*model.Policy{c.Old, c.New} {
			if p != nil {
				o.UID = cmp.Or(o.UID, p.UID) // set for a created object once it exists
			}
		}
		out = append(out, o)
	}
	return out
}

// auditReserve is the number of bytes that a reserved line keeps free for the outcome. Longer errors are cut.
const auditReserve = 4 << 10

// reservedLine is the place of an audit line for a change under way. The line is on disk with outcome unknown,
// which remains if Rung is killed.
type reservedLine struct {
	space  *ReservedSpace
	number uint64 // index among this process's records
}

// writing wraps an error to say that the audit could not be written.
func (a *AuditLog) writing(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("audit: writing %s: %w", a.Path, err)
}

// Write adds a record.
func (a *AuditLog) Write(r AuditRecord) error {
	a.past.addOwn(r)
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.writing(AppendRecords(&a.file, r))
}

// Reserve writes the line of a change about to be made, with room for its outcome. After it succeeds, a full
// disk cannot keep Finish from writing the outcome.
func (a *AuditLog) Reserve(r AuditRecord) (*reservedLine, error) {
	r.Result, r.Error = Unknown, ""
	line, err := json.Marshal(r)
	if err != nil {
		return nil, a.writing(err)
	}
	a.mu.Lock()
	room, err := a.file.ReserveSpace(line, auditReserve)
	a.mu.Unlock()
	if err != nil {
		return nil, a.writing(err)
	}
	return &reservedLine{space: room, number: a.past.addOwn(r)}, nil
}

// Finish writes the outcome into the reserved line. r may differ from Reserve's record only in fields after
// Commands, and in the UIDs of created objects.
func (a *AuditLog) Finish(v *reservedLine, r AuditRecord) error {
	a.past.setOwn(v.number, r)
	line, err := boundedLine(r, len(v.space.line)-1)
	if err != nil {
		return a.writing(err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	line = append(line, '\n')
	stands, err := a.file.WriteReserved(v.space, line)
	if err == nil && !stands {
		// The audit was moved or cut meanwhile: write a new line.
		_, err = a.file.appendText(line)
	}
	return a.writing(err)
}

// boundedLine encodes a record as a line that fits into most bytes; it shortens the error text if needed.
func boundedLine(r AuditRecord, most int) ([]byte, error) {
	const cut = " …"
	text := r.Error
	for {
		line, err := json.Marshal(r)
		over := len(line) - most
		if err != nil || over <= 0 || text == "" {
			return line, err
		}
		// A byte of the text may need several in JSON.
		n := max(0, len(text)-max(over*len(text)/len(line), 2*len(cut)))
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		text = text[:n]
		r.Error = text + cut
	}
}
