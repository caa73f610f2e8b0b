package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
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

// Log appends records to a file, one JSON object per line. Nothing is ever
// taken out of it. The line of a change is there before the change is made. It is
// safe for concurrent use and by several processes.
type AuditLog struct {
	Path string
	disk files.FS
	mu   sync.Mutex
	past pastRecords
}

// New appends to audit.jsonl in the folder. The file is made when the
// first record comes. Without a folder nothing is kept.
func NewAudit(disk files.FS, dir string) *AuditLog {
	a := &AuditLog{disk: files.OrSystem(disk)}
	if dir != "" {
		a.Path = filepath.Join(dir, "audit.jsonl")
	}
	return a
}

// ObjectsOf lists what a change touches.
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
	offset int64
	line   []byte // as it stands in the file, nil where nothing is kept
	number uint64 // among the records of this process
}

// Write adds one record.
func (a *AuditLog) Write(r AuditRecord) error {
	a.past.addOwn(r)
	if a.Path == "" {
		return nil
	}
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("audit of %s: %w", r.Op, err)
	}
	_, err = a.appendLine(append(line, '\n'))
	return err
}

// appendLine appends a line, down to the disk.
func (a *AuditLog) appendLine(line []byte) (at int64, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f, err := files.OpenLocked(a.disk, a.Path)
	if err != nil {
		return 0, fmt.Errorf("audit: %w", err)
	}
	at, err = files.AppendLines(f, line)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return 0, fmt.Errorf("audit: writing %s: %w", a.Path, err)
	}
	return at, nil
}

// Reserve writes the line of a change that is about to be made, with room for its
// outcome: once it returns without an error, a full disk cannot keep Finish from
// writing that.
func (a *AuditLog) Reserve(r AuditRecord) (*reservedLine, error) {
	r.Result, r.Error = Unknown, ""
	if a.Path == "" {
		return &reservedLine{number: a.past.addOwn(r)}, nil
	}
	line, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("audit of %s: %w", r.Op, err)
	}
	line = append(append(line, bytes.Repeat([]byte{' '}, auditRoom)...), '\n')
	at, err := a.appendLine(line)
	if err != nil {
		return nil, err
	}
	return &reservedLine{offset: at, line: line, number: a.past.addOwn(r)}, nil
}

// Finish puts the outcome in the place of what was reserved. The record is that
// of Reserve but for what follows Commands, and the UIDs of objects that were made.
func (a *AuditLog) Finish(v *reservedLine, r AuditRecord) error {
	a.past.setOwn(v.number, r)
	if v.line == nil {
		return nil
	}
	line, err := boundedLine(r, len(v.line)-1)
	if err != nil {
		return fmt.Errorf("audit of %s: %w", r.Op, err)
	}
	a.mu.Lock()
	f, err := files.OpenLocked(a.disk, a.Path)
	if err == nil {
		var stands bool
		if stands, err = v.overwrite(f, line); err == nil && !stands {
			// Somebody put the audit away meanwhile, or cut it: a line of its own.
			_, err = files.AppendLines(f, append(line, '\n'))
		}
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}
	a.mu.Unlock()
	if err != nil {
		return fmt.Errorf("audit: writing %s: %w", a.Path, err)
	}
	return nil
}

// overwrite writes line over the reserved one, if that still stands where it was.
func (v *reservedLine) overwrite(f files.File, line []byte) (stands bool, err error) {
	was := make([]byte, len(v.line))
	if _, err := f.ReadAt(was, v.offset); err != nil && err != io.EOF {
		return false, err
	}
	if !bytes.Equal(was, v.line) || len(line) >= len(v.line) {
		return false, nil
	}
	// The front, up to the first byte that differs, is not written again: torn or
	// not, the line still names the change.
	padded := append(append(append([]byte(nil), line...), bytes.Repeat([]byte{' '}, len(v.line)-1-len(line))...), '\n')
	from := 0
	for from < len(padded) && padded[from] == v.line[from] {
		from++
	}
	if _, err := f.WriteAt(padded[from:], v.offset+int64(from)); err != nil {
		_, _ = f.WriteAt(v.line[from:], v.offset+int64(from)) // half of it would be neither
		return true, err
	}
	// As the last line it does not need its room any more.
	if info, err := f.Stat(); err == nil && info.Size() == v.offset+int64(len(v.line)) && len(line)+1 < len(v.line) {
		end := v.offset + int64(len(line))
		if _, err := f.WriteAt([]byte{'\n'}, end); err == nil {
			_ = f.Truncate(end + 1) // blanks are no harm
		}
	}
	return true, f.Sync()
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
