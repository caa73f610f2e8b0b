package nbdb

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/reconciler"
	"rung/test/wait"
)

var _ reconciler.Zone = (*Zone)(nil)

func global(name string) string {
	return `{"_date":1700000000000,"NB_Global":{"` + fileUUID1 + `":{"name":"` + name + `"}}}`
}

// follow runs a zone and hands out its updates.
func follow(t *testing.T, cfg ZoneConfig) (next func() model.ZoneUpdate, quiet func()) {
	cfg.Poll = 10 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	updates, done := make(chan model.ZoneUpdate), make(chan struct{})
	go func() {
		defer close(done)
		NewZone(cfg).Run(ctx, func(u model.ZoneUpdate) {
			select {
			case updates <- u:
			case <-ctx.Done():
			}
		})
	}()
	t.Cleanup(func() { cancel(); <-done })
	next = func() model.ZoneUpdate {
		t.Helper()
		select {
		case u := <-updates:
			return u
		case <-time.After(wait.Patience):
			t.Fatal("no update")
		}
		return model.ZoneUpdate{}
	}
	return next, func() {
		t.Helper()
		select {
		case u := <-updates:
			t.Errorf("an update without news: %+v", u)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func TestZone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nb.db")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path+"~", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+"~", path); err != nil {
			t.Fatal(err)
		}
	}
	next, quiet := follow(t, ZoneConfig{Name: "node-1", Path: path})
	if u := next(); u.Conn != model.ConnDialling {
		t.Errorf("at first: %+v", u)
	}
	if u := next(); u.Conn != model.ConnLost || !strings.Contains(u.Error, path) || u.DB != nil {
		t.Errorf("no file: %+v", u)
	}
	quiet()
	text := smallFile([]string{global("node-1"), set(`{"name":"a"}`)})
	write(text)
	u := next()
	if u.Conn != model.ConnReadOnly || u.Server != "file" || !u.Resync || u.Error != "" || u.DB.AddressSetByName("a") == nil ||
		u.At.UnixMilli() != 1700000000000 {
		t.Errorf("the file: %+v", u)
	}
	quiet()
	write(text + record(magicJSON, set(`{"name":"b"}`)))
	if u := next(); u.DB.AddressSetByName("b") == nil {
		t.Errorf("with another record: %+v", u)
	}
	write(text + record(magicJSON, set(`{"name":"c"}`))[:70])
	if u := next(); u.Conn != model.ConnReadOnly || u.DB.AddressSetByName("a") == nil || !strings.Contains(u.Error, "record 3 at byte ") {
		t.Errorf("cut: %+v", u)
	}
	write(smallFile([]string{global("node-2")}))
	if u := next(); u.Conn != model.ConnLost || !strings.Contains(u.Error, `NB_Global is named "node-2", not "node-1"`) {
		t.Errorf("another zone's file: %+v", u)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if u := next(); u.Conn != model.ConnLost || !strings.Contains(u.Error, "no such file") {
		t.Errorf("gone: %+v", u)
	}
	write(text)
	if u := next(); u.Conn != model.ConnReadOnly || u.DB.AddressSetByName("a") == nil {
		t.Errorf("back: %+v", u)
	}
}

func TestZoneIsReadOnly(t *testing.T) {
	z := NewZone(ZoneConfig{Name: "node-1", Path: "/x\x1b"})
	if _, err := z.Transact(t.Context(), nil); !errors.Is(err, model.ErrRejected) || !strings.Contains(err.Error(), "only read") {
		t.Error(err)
	}
	if z.Name() != "node-1" || z.Endpoint() != "file:/x\ufffd" {
		t.Errorf("%q %q", z.Name(), z.Endpoint())
	}
}
