package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"rung/sources/reading"

	"github.com/adrg/xdg"
	"github.com/spf13/pflag"
)

// uiFlags are the flags about the screen.
type uiFlags struct {
	Theme, Color, config, Profile string
	ASCII, NoMouse                bool
}

func (u *uiFlags) register(p *pflag.FlagSet) {
	p.StringVar(&u.config, "config", "", "configuration file (default in XDG_CONFIG_HOME)")
	p.StringVar(&u.Theme, "theme", "", "colour theme of the console")
	p.StringVar(&u.Color, "color", "", "colours: auto, always, never, 16, 256 or truecolor")
	p.BoolVar(&u.ASCII, "ascii", false, "draw with ASCII characters only")
	p.StringVar(&u.Profile, "profile", "", "folder to write profiles of the console to")
	_ = p.MarkHidden("profile")
	p.BoolVar(&u.NoMouse, "no-mouse", false, "leave the mouse to the terminal")
}

// maxConfig bounds the configuration file, in bytes.
const maxConfig = 1 << 20

// ReadConfig reads the configuration file, which may be absent where none was named.
func (u *uiFlags) ReadConfig(ctx context.Context) (text []byte, path string, err error) {
	path = cmp.Or(u.config, filepath.Join(xdg.ConfigHome, "rung", "config.yaml"))
	text, err = reading.ReadFile(ctx, path, maxConfig)
	switch {
	case errors.Is(err, fs.ErrNotExist) && u.config == "":
		return nil, path, nil
	case errors.Is(err, reading.ErrTooLarge):
		return nil, path, fmt.Errorf("read the configuration %s: larger than %d MiB", path, maxConfig>>20)
	case err != nil:
		return nil, path, fmt.Errorf("read the configuration: %w", err)
	}
	return text, path, nil
}
