package second

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/ovn-kubernetes/libovsdb/client"
	"github.com/ovn-kubernetes/libovsdb/model"

	"rung/model/ovn/nb"
)

// EmptyModels returns an empty model of each table, by the table's name.
func EmptyModels() map[string]model.Model {
	return map[string]model.Model{nb.TableACL: &ACL{}, nb.TableAddressSet: &AddressSet{}, nb.TablePortGroup: &PortGroup{},
		nb.TableSwitch: &LogicalSwitch{}, nb.TablePort: &LogicalSwitchPort{}, nb.TableMeter: &Meter{},
		nb.TableMeterBand: &MeterBand{}, nb.TableGlobal: &NBGlobal{}}
}

// modelsWithoutSamples returns the models for servers before OVN 24.09, whose ACLs have no samples: libovsdb
// rejects a schema that lacks a model's column.
func modelsWithoutSamples() map[string]model.Model {
	t := reflect.TypeFor[ACL]()
	var fields []reflect.StructField
	for i := range t.NumField() {
		if c := t.Field(i).Tag.Get("ovsdb"); c != "sample_new" && c != "sample_est" {
			fields = append(fields, t.Field(i))
		}
	}
	all := EmptyModels()
	all[nb.TableACL] = reflect.New(reflect.StructOf(fields)).Interface()
	return all
}

// Dial connects libovsdb's client to a Northbound database and follows Rung's tables and columns. The caller
// closes the client.
func Dial(ctx context.Context, addr string, options ...client.Option) (client.Client, error) {
	options = append(options, client.WithEndpoint(addr))
	c, err := dialModels(ctx, EmptyModels(), options)
	if err == nil {
		return c, nil
	}
	if c, err := dialModels(ctx, modelsWithoutSamples(), options); err == nil {
		return c, nil
	}
	return nil, fmt.Errorf("libovsdb: reading %s: %w", addr, err)
}

func dialModels(ctx context.Context, models map[string]model.Model, options []client.Option) (client.Client, error) {
	db, err := model.NewClientDBModel(nb.Database, models)
	if err != nil {
		return nil, err
	}
	c, err := client.NewOVSDBClient(db, options...)
	if err != nil {
		return nil, err
	}
	if err := c.Connect(ctx); err != nil {
		return nil, err
	}
	if err := followTables(ctx, c, models); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func followTables(ctx context.Context, c client.Client, models map[string]model.Model) error {
	var tables []client.MonitorOption
	for _, m := range models {
		tables = append(tables, client.WithTable(m, columnPointers(m)...))
	}
	m := c.NewMonitor(tables...)
	if len(m.Errors) > 0 {
		return errors.Join(m.Errors...)
	}
	_, err := c.Monitor(ctx, m)
	return err
}

// columnPointers returns pointers to the fields of a model, as libovsdb names columns.
func columnPointers(m model.Model) (fields []any) {
	v := reflect.ValueOf(m).Elem()
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("ovsdb") != "_uuid" {
			fields = append(fields, v.Field(i).Addr().Interface())
		}
	}
	return fields
}
