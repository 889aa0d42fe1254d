// SPDX-License-Identifier: GPL-2.0
//
// What a dashboard of timeseries that asks Prometheus may have, in Grafana's own types: run
// writes the dashboard below them, and the compiler looks whether it is one.

import type { Dashboard, Panel, VariableModel }
	from '@grafana/schema/dist/esm/raw/dashboard/x/Dashboard_types.gen';
import type { FieldConfig, Options }
	from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';

// As JSON has it: the text of a member of an enum in place of the member.
type Plain<T> = T extends string ? `${T}`
	: T extends number | boolean | null | undefined ? T
	: T extends (infer E)[] ? Plain<E>[]
	: T extends object ? { [K in keyof T]: Plain<T[K]> }
	: T;

// The rest of a query is its data source's, of which no type is published.
type Query = {
	refId: string;
	expr: string;
	legendFormat?: string;
	datasource: { type: 'prometheus'; uid: string };
};

type Fields = NonNullable<Panel['fieldConfig']>;

type Series = Plain<Omit<Panel, 'type' | 'targets' | 'options' | 'fieldConfig'>> & {
	type: 'timeseries';
	gridPos: Plain<NonNullable<Panel['gridPos']>>;
	targets: Query[];
	options?: Plain<Partial<Options>>;
	fieldConfig: {
		defaults: Plain<Omit<Fields['defaults'], 'custom'>> & {
			custom?: Plain<Partial<FieldConfig>>;
		};
		overrides: Plain<Fields['overrides']>;
	};
};

// Grafana writes a definition, too, which the type has not.
type Variable = Plain<VariableModel> & { definition?: string };

type Ours = Plain<Omit<Dashboard, 'panels' | 'templating'>> & {
	panels: Series[];
	templating: { list: Variable[] };
};

export const dashboard: Ours =
