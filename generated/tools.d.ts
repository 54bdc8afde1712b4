// @generated from the manifest by verbgate: do not edit, change the manifest instead.

/**
 * `Export the indexed graph of one repository as a portable .cgc bundle. The person is asked first. The bundle holds source text and absolute paths of this machine. An existing file is replaced only once the export has succeeded. Needs an index of the repository. BUSY means that another cgc process holds the database.`
 */
export interface CgcBundleExport {
  /**
   * `Folder of the indexed repository.`
   */
  "repository": string;
  /**
   * `Bundle to write. Must end in .cgc`
   */
  "output": string;
}

/** What a success of this tool gives beside text. A field that was not found is absent. */
export interface CgcBundleExport_Fields {
  "nodes"?: number;
  "edges"?: number;
  before?: {
    "mode"?: string;
    "default"?: string;
    "contexts"?: Array<{ "name"?: string; "default"?: boolean; "database"?: string; "path"?: string; "repositories"?: number }>;
  };
}

/**
 * `Name every context with database, path and number of repositories, the mode and the default.`
 */
export interface CgcContext_List {
  "action": "list";
}

/**
 * `Register a new context. Nothing that exists is changed.`
 */
export interface CgcContext_Create {
  "action": "create";
  /**
   * `Name of the context. Letters, digits, dot, dash and underscore, at most 64.`
   */
  "name": string;
  /**
   * `Kind of database. Without it cgc's configured default.`
   */
  "database"?: "kuzudb" | "ladybugdb" | "falkordb" | "falkordb-remote" | "neo4j" | "nornic";
}

/**
 * `Remove the registration of a context. The person is asked first. Database files stay on disk.`
 */
export interface CgcContext_Delete {
  "action": "delete";
  /**
   * `Name of the context. Letters, digits, dot, dash and underscore, at most 64.`
   */
  "name": string;
}

/**
 * ``Make a context the default of this and all later sessions; it counts only in mode `named`. The result states the new default and, unless there was none, the old one (before.default).``
 */
export interface CgcContext_SetDefault {
  "action": "set_default";
  /**
   * `Name of the context. Letters, digits, dot, dash and underscore, at most 64.`
   */
  "name": string;
}

/**
 * `Manage cgc's named contexts (a context is a registered database with its repositories).`
 * `list: Name every context with database, path and number of repositories, the mode and the default.`
 * `create: Register a new context. Nothing that exists is changed.`
 * `delete: Remove the registration of a context. The person is asked first. Database files stay on disk.`
 * ``set_default: Make a context the default of this and all later sessions; it counts only in mode `named`. The result states the new default and, unless there was none, the old one (before.default).``
 */
export type CgcContext = CgcContext_List | CgcContext_Create | CgcContext_Delete | CgcContext_SetDefault;

/** What a success of this tool gives beside text. A field that was not found is absent. */
export interface CgcContext_Fields {
  "mode"?: string;
  "default"?: string;
  "contexts"?: Array<{ "name"?: string; "default"?: boolean; "database"?: string; "path"?: string; "repositories"?: number }>;
  "name"?: string;
  "database"?: string;
  "db_path"?: string;
  before?: {
    "mode"?: string;
    "default"?: string;
    "contexts"?: Array<{ "name"?: string; "default"?: boolean; "database"?: string; "path"?: string; "repositories"?: number }>;
  };
}

/**
 * `Run cgc's diagnostics: configuration, database driver, parsers, permissions, executable. Problems that it finds are the report (healthy: false), not a failure. It never opens the embedded database, so it can't see that the database is locked or damaged.`
 */
export interface CgcDoctor {
}

/** What a success of this tool gives beside text. A field that was not found is absent. */
export interface CgcDoctor_Fields {
  "healthy"?: boolean;
  "findings"?: Array<string>;
  "warnings"?: Array<string>;
  before?: {
    "mode"?: string;
    "default"?: string;
    "contexts"?: Array<{ "name"?: string; "default"?: boolean; "database"?: string; "path"?: string; "repositories"?: number }>;
  };
}

/** The arguments of each tool, by its name. */
export interface Tool_Arguments {
  "cgc_bundle_export": CgcBundleExport;
  "cgc_context": CgcContext;
  "cgc_doctor": CgcDoctor;
}

/** The fields of each tool's result, by its name. */
export interface Tool_Fields {
  "cgc_bundle_export": CgcBundleExport_Fields;
  "cgc_context": CgcContext_Fields;
  "cgc_doctor": CgcDoctor_Fields;
}
