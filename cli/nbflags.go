package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"rung/engine"
)

// registerNB adds the flags that say which databases are looked at.
func (f *flags) registerNB(p *pflag.FlagSet) {
	p.StringArrayVar(&f.nb, "nb", nil, "Northbound database to read instead of a sandbox, or of exec on a cluster: "+
		"[zone=]unix:PATH, tcp:HOST:PORT, ssl:HOST:PORT, or file:PATH for a database file (repeatable)")
	p.StringVar(&f.nbTLS.Key, "nb-key", "", "PEM file with the private key for ssl: databases")
	p.StringVar(&f.nbTLS.Cert, "nb-cert", "", "PEM file with the certificate for ssl: databases")
	p.StringVar(&f.nbTLS.CA, "nb-ca", "", "PEM file with the CA that ssl: databases are verified against")
	p.BoolVar(&f.nbTLS.SkipNames, "nb-skip-name-verification", false,
		"accept any name in an ssl: database's certificate, as long as --nb-ca issued it")
}

// nbSchemes begin the addresses of --nb.
var nbSchemes = []string{"unix:", "tcp:", "ssl:", "file:"}

// filesMode is a run on manifests.
const filesMode = "files"

// databases fills in the databases to look at: those of --nb or, without it, the
// database files in the folders of -f, as a must-gather has them. given says
// whether there are any.
func (f *flags) databases(ctx context.Context, cfg *engine.Config) (given bool, err error) {
	cfg.NBTLS = f.nbTLS
	if len(f.nb) > 0 {
		cfg.NB, err = f.endpoints()
		return true, err
	}
	if cfg.Mode.Name != filesMode {
		return false, nil
	}
	found, err := engine.FindDatabases(ctx, f.files)
	if err != nil || len(found) == 0 {
		return false, err
	}
	cfg.NB = make(map[string]string, len(found))
	for _, addr := range found {
		cfg.NB[addr] = addr
	}
	files := "1 database file"
	if len(found) > 1 {
		files = fmt.Sprintf("%d database files", len(found))
	}
	cfg.Mode.Title += " · rows of " + files + ", read-only"
	return true, nil
}

// endpoints are the databases given by --nb, by zone; one without a zone stands
// under its address and names itself.
func (f *flags) endpoints() (map[string]string, error) {
	out := map[string]string{}
	for _, s := range f.nb {
		zone, addr := "", s
		// Addresses begin with a scheme, zones have no colon.
		if name, rest, ok := strings.Cut(s, "="); ok && !strings.ContainsAny(name, ":/") {
			zone, addr = name, rest
		}
		if !hasScheme(addr) {
			return nil, fmt.Errorf("--nb %s: want [zone=]unix:PATH, tcp:HOST:PORT, ssl:HOST:PORT or file:PATH", s)
		}
		if zone == "" {
			zone = addr
		}
		if _, dup := out[zone]; dup {
			return nil, fmt.Errorf("--nb %s: another --nb is already for this zone; name the zones: --nb ZONE=ADDR", s)
		}
		if strings.HasPrefix(addr, "ssl:") {
			if err := f.nbTLS.Check(); err != nil {
				return nil, fmt.Errorf("--nb %s: %w", s, err)
			}
		}
		out[zone] = addr
	}
	return out, nil
}

func hasScheme(addr string) bool {
	for _, scheme := range nbSchemes {
		if rest, ok := strings.CutPrefix(addr, scheme); ok && rest != "" {
			return true
		}
	}
	return false
}
