package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/sources/nbdb"
)

// Zones come and go while the others go on; one that comes back begins anew.
func TestZonesComeAndGo(t *testing.T) {
	onBoth(t, func(t *testing.T, server string) {
		s := start(t, Config{Server: server, Zones: []string{"a"}, ForeignRows: true})
		a := follow(t, s, "a", nbdb.Config{})
		s.SetPods(cluster(pod("ns", "here", "a", "10.0.0.1"), pod("ns", "there", "b", "10.0.0.2")), nil)
		a.until("a port", func(_ []model.ZoneUpdate, db *nb.DB) bool { return db.PortByName("ns_here") != nil })
		for range 2 {
			if err := s.AddZone(t.Context(), "b"); err != nil {
				t.Fatal(err)
			}
			if err := s.AddZone(t.Context(), "b"); err == nil {
				t.Error("a zone was made twice")
			}
			b := follow(t, s, "b", nbdb.Config{})
			if b.rows().PortByName("ns_there") != nil {
				t.Error("rows of the zone that went are back")
			}
			c := cluster(pod("ns", "here", "a", "10.0.0.1"), pod("ns", "there", "b", "10.0.0.2"))
			s.SetPods(c, nil)
			b.until("a port", func(_ []model.ZoneUpdate, db *nb.DB) bool { return db.PortByName("ns_there") != nil })
			if got := strings.Join(s.Zones(), " "); got != "a b" {
				t.Error(got)
			}
			if err := s.RemoveZone("b"); err != nil {
				t.Fatal(err)
			}
			if err := s.RemoveZone("b"); err == nil {
				t.Error("a zone went twice")
			}
			if s.Endpoints()["b"] != "" {
				t.Error("the zone is still there")
			}
			for _, files := range []string{"b.*", ".b.*"} {
				if left, err := filepath.Glob(filepath.Join(s.Dir(), files)); err != nil || len(left) > 0 {
					t.Errorf("left: %v %v", left, err)
				}
			}
		}
		if err := s.AddZone(t.Context(), ""); err == nil {
			t.Error("a zone without a name")
		}
		if a.rows().PortByName("ns_here") == nil {
			t.Error("the other zone lost a port")
		}
		s.Close()
		if err := s.AddZone(t.Context(), "d"); err == nil {
			t.Error("a zone was added to a closed sandbox")
		}
		if _, err := os.Stat(s.Dir()); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	})
}
