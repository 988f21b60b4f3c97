/** The part of SARIF 2.1.0 that Postil writes. https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
export type SarifLog = {
  readonly $schema: string;
  readonly version: '2.1.0';
  readonly runs: readonly [SarifRun];
};

export type SarifRun = {
  readonly tool: { readonly driver: SarifDriver };
  readonly automationDetails: { readonly id: string };
  readonly columnKind: 'utf16CodeUnits';
  readonly originalUriBaseIds: { readonly '%SRCROOT%': { readonly description: SarifText } };
  readonly versionControlProvenance?: readonly { readonly repositoryUri: string; readonly revisionId: string }[];
  readonly results: readonly SarifResult[];
};

export type SarifDriver = {
  readonly name: string;
  readonly semanticVersion: string;
  readonly rules: readonly SarifRule[];
};

export type SarifRule = {
  readonly id: string;
  readonly shortDescription: SarifText;
  readonly defaultConfiguration: { readonly level: SarifLevel };
  readonly properties: { readonly tags: readonly string[] };
};

export type SarifLevel = 'error' | 'warning' | 'note';
export type SarifText = { readonly text: string };

export type SarifResult = {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly level: SarifLevel;
  readonly message: SarifText;
  readonly locations: readonly [{ readonly physicalLocation: SarifLocation }];
  readonly partialFingerprints: Readonly<Record<string, string>>;
  readonly fixes?: readonly SarifFix[];
  readonly suppressions?: readonly { readonly kind: 'external' | 'inSource'; readonly justification: string }[];
  readonly properties: { readonly confidence: number; readonly category: string };
};

export type SarifLocation = { readonly artifactLocation: SarifArtifact; readonly region: SarifRegion };
export type SarifArtifact = { readonly uri: string; readonly uriBaseId: '%SRCROOT%' };
export type SarifRegion = {
  readonly startLine: number;
  readonly endLine: number;
  readonly startColumn?: number;
  readonly endColumn?: number;
};

export type SarifFix = {
  readonly description: SarifText;
  readonly artifactChanges: readonly {
    readonly artifactLocation: SarifArtifact;
    readonly replacements: readonly { readonly deletedRegion: SarifRegion; readonly insertedContent: SarifText }[];
  }[];
};
