package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"rung/engine/logs"
	"rung/model"
	"rung/sources/files"
	"rung/sources/retry"
)

// countsFolder holds the hits of rules in the state folder, one file for each cluster or path.
const countsFolder = "counts"

// countsEvery is the time between two writes.
const countsEvery = time.Minute

// keptCounts is the file with the hits that an earlier run counted.
type keptCounts struct {
	engine *Engine
	disk   files.FS
	path   string
	lock   files.File
	text   string // as last written
}

// openCounts resumes the counts of an earlier run. If the file is unreadable, or another Rung keeps the same
// cluster's counts, it leaves the file alone, keeps nothing and adds a notice.
func openCounts(e *Engine) *keptCounts {
	sum := sha256.Sum256([]byte(e.cfg.stateIdentity()))
	k := &keptCounts{engine: e, disk: files.OrSystem(e.cfg.Disk),
		path: filepath.Join(e.cfg.StateDir, countsFolder, hex.EncodeToString(sum[:8])+".json")}
	if err := k.openCounts(); err != nil {
		e.loop.RecordActivity(model.Activity{By: "log", Summary: "rule hits are not saved", Error: err.Error()})
		e.notices = append(e.notices, "rule hits are not saved: "+err.Error())
		return nil
	}
	return k
}

func (k *keptCounts) openCounts() (err error) {
	if err := k.disk.MkdirAll(filepath.Dir(k.path), files.PrivateFolder); err != nil {
		return fmt.Errorf("making the folder of the counts: %w", err)
	}
	if k.lock, err = files.TryLocked(k.disk, k.path+".lock"); err != nil {
		return fmt.Errorf("another Rung saves them: %w", err)
	}
	text, err := files.ReadPrivate(k.disk, k.path, logs.MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var c *logs.Counter
	if err == nil {
		c, err = logs.Decode(text, k.engine.Now())
	}
	if err != nil {
		_ = k.lock.Close()
		return fmt.Errorf("reading %s: %w; move it away to start over", k.path, err)
	}
	k.engine.logs.ResumeCounts(c)
	return nil
}

// keepWriting writes the counts every minute and at the end.
func (k *keptCounts) keepWriting() {
	defer func() { _ = k.lock.Close() }()
	told := false
	for ended := false; !ended; {
		ended = !retry.Sleep(k.engine.loop.Context(), countsEvery)
		if err := k.writeCounts(); err != nil && !told {
			told = true
			k.engine.loop.RecordActivity(model.Activity{By: "log", Summary: "rule hits could not be saved", Error: err.Error()})
		}
	}
}

func (k *keptCounts) writeCounts() error {
	text, err := k.engine.logs.EncodeHits()
	if err != nil || string(text) == k.text {
		return err
	}
	if err := files.ReplaceFile(k.disk, k.path, text); err != nil {
		return fmt.Errorf("writing the counts to %s: %w", k.path, err)
	}
	k.text = string(text)
	return nil
}
