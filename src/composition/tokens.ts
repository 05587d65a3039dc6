import type { RequestListener } from 'node:http';
import type { ServiceIdentifier } from 'inversify';
import type { FetchHandler } from '../adapters/http/fetch/fetch-handler.ts';
import type { OperationParts } from '../adapters/http/handler/operation-handler.ts';
import type { ServiceEndpoint } from '../adapters/http/handler/service-endpoint.ts';
import type { Operation } from '../api/operation.ts';

/* The ports are abstract classes, which are their own tokens. These tokens are for what is not a class. */

export const OperationsToken: ServiceIdentifier<readonly Operation[]> = Symbol.for('petstore.Operations');
export const FetchHandlerToken: ServiceIdentifier<FetchHandler> = Symbol.for('petstore.FetchHandler');
/** May be bound more than once: the service has the endpoints of every binding. */
export const ServiceEndpointsToken: ServiceIdentifier<readonly ServiceEndpoint[]> =
  Symbol.for('petstore.ServiceEndpoints');
export const RequestListenerToken: ServiceIdentifier<RequestListener> = Symbol.for('petstore.RequestListener');
export const OperationPartsToken: ServiceIdentifier<OperationParts> = Symbol.for('petstore.OperationParts');
