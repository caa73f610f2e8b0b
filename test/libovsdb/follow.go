package libovsdb

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/ovn-kubernetes/libovsdb/client"
	"github.com/ovn-kubernetes/libovsdb/model"

	"rung/model/nb"
)

// models has one of each, in the order they are monitored.
func models() map[string]model.Model {
	return map[string]model.Model{nb.TableACL: &ACL{}, nb.TableAddressSet: &AddressSet{}, nb.TablePortGroup: &PortGroup{},
		nb.TableSwitch: &LogicalSwitch{}, nb.TablePort: &LogicalSwitchPort{}, nb.TableMeter: &Meter{}, nb.TableMeterBand: &MeterBand{},
		nb.TableGlobal: &Global{}}
}

// Dial connects libovsdb's client to a Northbound database and lets it follow the
// tables and columns that Rung follows. Whoever has the client closes it.
func Dial(ctx context.Context, addr string, options ...client.Option) (client.Client, error) {
	db, err := model.NewClientDBModel(nb.Database, models())
	if err != nil {
		return nil, fmt.Errorf("libovsdb: models: %w", err)
	}
	c, err := client.NewOVSDBClient(db, append(options, client.WithEndpoint(addr))...)
	if err != nil {
		return nil, fmt.Errorf("libovsdb: %w", err)
	}
	if err := c.Connect(ctx); err != nil {
		return nil, fmt.Errorf("libovsdb: connecting to %s: %w", addr, err)
	}
	if err := follow(ctx, c); err != nil {
		c.Close()
		return nil, fmt.Errorf("libovsdb: following %s: %w", addr, err)
	}
	return c, nil
}

func follow(ctx context.Context, c client.Client) error {
	var tables []client.MonitorOption
	for _, m := range models() {
		tables = append(tables, client.WithTable(m, columns(m)...))
	}
	m := c.NewMonitor(tables...)
	if len(m.Errors) > 0 {
		return errors.Join(m.Errors...)
	}
	_, err := c.Monitor(ctx, m)
	return err
}

// columns are pointers to the fields of a model, as libovsdb wants columns named.
func columns(m model.Model) (fields []any) {
	v := reflect.ValueOf(m).Elem()
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("ovsdb") != "_uuid" {
			fields = append(fields, v.Field(i).Addr().Interface())
		}
	}
	return fields
}
