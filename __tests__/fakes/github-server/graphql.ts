import { buildSchema, execute, GraphQLError, type GraphQLSchema, parse, validate } from 'graphql';
import { at, isObject, textAt } from '../json.ts';
import type { Reply } from '../loopback.ts';
import { graphqlRoot } from './graphql-root.ts';
import { json } from './respond.ts';
import type { Store } from './store.ts';

/** Runs a query against GitHub's own published schema. What the fake does not know is an error, never a silent null. */
export async function answerGraphql(store: Store, body: unknown): Promise<Reply> {
  const query = textAt(body, 'query');
  const variables = at(body, 'variables');
  if (query === '')
    return json(200, { errors: [{ message: 'A query attribute must be specified and must be a string.' }] });
  try {
    const schema = await loadSchema();
    const document = parse(query);
    const problems = validate(schema, document);
    if (problems.length > 0) return json(200, { errors: problems.map(validationProblem) });
    const result = await execute({
      schema,
      document,
      rootValue: graphqlRoot(store),
      variableValues: isObject(variables) ? variables : {},
      fieldResolver: (source, args, _, info) => {
        const value = at(source, info.fieldName);
        if (value === undefined) throw new GraphQLError(`The fake knows no ${info.parentType.name}.${info.fieldName}.`);
        return typeof value === 'function' ? value(args) : value;
      },
    });
    if (result.errors === undefined) return json(200, { data: result.data });
    return json(200, { data: result.data, errors: result.errors.map(executionProblem) });
  } catch (error) {
    if (error instanceof GraphQLError) return json(200, { errors: [error.toJSON()] });
    throw error;
  }
}

let built: Promise<GraphQLSchema> | undefined;

// A third of a second: only runs that ask pay for it.
function loadSchema(): Promise<GraphQLSchema> {
  built ??= import('@octokit/graphql-schema').then(({ schema }) => buildSchema(schema.idl, { assumeValidSDL: true }));
  return built;
}

/** GitHub says the same things in its own words. */
function validationProblem(error: GraphQLError): object {
  const words = /^Cannot query field "(.+?)" on type "(.+?)"/.exec(error.message);
  if (words === null) return { message: error.message, locations: error.locations };
  const [, fieldName, typeName] = words;
  return {
    message: `Field '${fieldName}' doesn't exist on type '${typeName}'`,
    locations: error.locations,
    extensions: { code: 'undefinedField', typeName, fieldName },
  };
}

function executionProblem(error: GraphQLError): object {
  const type = error.extensions['type'];
  return {
    ...(type === undefined ? {} : { type }),
    path: error.path,
    locations: error.locations,
    message: error.message,
  };
}
