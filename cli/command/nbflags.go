package command

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"rung/engine"
	"rung/model/words"
	"rung/revision"
)

// registerNB adds the flags that choose databases.
func (f *globalFlags) registerNB(p *pflag.FlagSet) {
	p.StringArrayVar(&f.NB, "nb", nil, "Northbound database to read instead of a sandbox, or of exec on a cluster: "+
		"`[ZONE=]ADDRESS`, as unix:PATH, tcp:HOST:PORT, ssl:HOST:PORT, or file:PATH for a database file (repeatable)")
	p.StringArrayVar(&f.SB, "sb", nil, "Southbound database of a zone, for its logical flows: "+
		"`[ZONE=]ADDRESS`, as unix:PATH, tcp:HOST:PORT, ssl:HOST:PORT, or file:PATH (repeatable); TLS as for --nb")
	p.StringVar(&f.nbTLS.Key, "nb-key", "", "PEM `FILE` with the private key for ssl: databases")
	p.StringVar(&f.nbTLS.Cert, "nb-cert", "", "PEM `FILE` with the certificate for ssl: databases")
	p.StringVar(&f.nbTLS.CA, "nb-ca", "", "PEM `FILE` with the CA that ssl: databases are verified against")
	p.BoolVar(&f.nbTLS.SkipNames, "nb-skip-name-verification", false,
		"accept any name in an ssl: database's certificate if --nb-ca issued it")
}

// NBSchemes begin the addresses of --nb and --sb.
var NBSchemes = []string{"unix:", "tcp:", "ssl:", "file:"}

// setDatabases sets the databases to read: those of --nb, or else the files in the folders of -f, as in a
// must-gather. given reports whether there are any.
func (f *globalFlags) setDatabases(ctx context.Context, cfg *engine.Config) (given bool, err error) {
	if len(f.NB) > 0 {
		cfg.NB, err = f.parseEndpoints("--nb", f.NB)
		return true, err
	}
	if cfg.Mode.Name != revision.FilesMode {
		return false, nil
	}
	found, err := f.findDatabases(ctx)
	if err != nil || len(found) == 0 {
		return false, err
	}
	cfg.NB = make(map[string]string, len(found))
	for _, addr := range found {
		cfg.NB[addr] = addr
	}
	cfg.Mode.Title += " · rows of " + words.Count(len(found), "database file") + ", read-only"
	return true, nil
}

// findDatabases returns the database files in the folders of -f. It searches once per command.
func (f *globalFlags) findDatabases(ctx context.Context) (found []string, err error) {
	if f.databases == nil {
		if found, err = engine.FindDatabases(ctx, f.Files); err != nil {
			return nil, err
		}
		f.databases = append([]string{}, found...)
	}
	return f.databases, nil
}

// HasDatabases reports whether databases are given without a cluster: by --nb, or as files in the folders of
// -f.
func (f *globalFlags) HasDatabases(ctx context.Context) bool {
	if len(f.NB) > 0 {
		return true
	}
	found, err := f.findDatabases(ctx)
	return err != nil || len(found) > 0 // the engine's start repeats the error
}

// setSouthbounds sets the Southbound databases given by --sb. A single one without a zone belongs to the only
// zone.
func (f *globalFlags) setSouthbounds(cfg *engine.Config) error {
	cfg.NBTLS = f.nbTLS
	given, err := f.parseEndpoints("--sb", f.SB)
	if err != nil {
		return err
	}
	for zone, addr := range given {
		if zone != addr {
			continue
		}
		if len(given) > 1 {
			return fmt.Errorf("--sb %s: name the zone of each: --sb ZONE=ADDR", addr)
		}
		delete(given, zone)
		given[""] = addr
	}
	cfg.SB = given
	return nil
}

// parseEndpoints returns the databases given by a flag, by zone; those without a zone by address. A Northbound
// database names its zone itself.
func (f *globalFlags) parseEndpoints(flag string, values []string) (map[string]string, error) {
	out := map[string]string{}
	for _, s := range values {
		zone, addr := "", s
		// Addresses begin with a scheme, zones have no colon.
		if name, rest, ok := strings.Cut(s, "="); ok && !strings.ContainsAny(name, ":/") {
			zone, addr = name, rest
		}
		if !hasScheme(addr) {
			return nil, fmt.Errorf("%s %s: want [zone=]unix:PATH, tcp:HOST:PORT, ssl:HOST:PORT or file:PATH", flag, s)
		}
		zone = cmp.Or(zone, addr)
		if _, dup := out[zone]; dup {
			return nil, fmt.Errorf("%s %s: another %s is already for this zone; name the zones: %s ZONE=ADDR", flag, s, flag, flag)
		}
		if strings.HasPrefix(addr, "ssl:") {
			if err := f.nbTLS.Check(); err != nil {
				return nil, fmt.Errorf("%s %s: %w", flag, s, err)
			}
		}
		out[zone] = addr
	}
	return out, nil
}

func hasScheme(addr string) bool {
	for _, scheme := range NBSchemes {
		if rest, ok := strings.CutPrefix(addr, scheme); ok && rest != "" {
			return true
		}
	}
	return false
}
